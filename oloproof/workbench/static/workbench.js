// What script adds to pages that work without it: keys, filters that apply themselves, words where a picture fails.
import { startFilters } from "./filters.js";
import { startKeys } from "./keys.js";
import { startMedia } from "./media.js";
import { startTheme } from "./theme.js";

startTheme();
startMedia();
startFilters();
startKeys();
