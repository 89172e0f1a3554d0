// The browser of this machine, for tests of pages: those are skipped where there is none.
import { existsSync } from 'node:fs';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Where Chromium is, or undefined. */
export const chromiumPath = places.find((path) => existsSync(path));
