"""What people say of what was shown: blind samples, import and export, and the labels that judges are held to."""
