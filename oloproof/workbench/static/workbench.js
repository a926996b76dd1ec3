// What script adds to pages that work without it: keys, filters that apply themselves, words where a picture fails,
// two runs to compare, numbers that move while a run is under way.
import { startChoosing } from "./choose.js";
import { startFilters } from "./filters.js";
import { startKeys } from "./keys.js";
import { startLive } from "./live.js";
import { startMedia } from "./media.js";
import { startTheme } from "./theme.js";

startTheme();
startMedia();
startFilters();
startKeys();
startChoosing();
startLive();
