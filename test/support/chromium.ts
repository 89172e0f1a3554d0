// This machine's browser for tests of pages; the tests are skipped without one.
import { existsSync } from 'node:fs';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Path of Chromium; undefined if it is missing. */
export const chromiumPath = places.find((path) => existsSync(path));
