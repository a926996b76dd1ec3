from .app import create_app as create_app, open_app as open_app
