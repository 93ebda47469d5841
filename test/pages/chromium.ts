import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { describeIf } from '../support/needs.js';

const PLACES = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium-headless-shell', // a third of the processor time
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const found = PLACES.find((place) => place !== undefined && place !== '' && existsSync(place));

/** Tests in a real browser. Skipped without one; `CHROMIUM_PATH` overrides its path. */
export const describeInBrowser = describeIf(found !== undefined, 'chromium-headless-shell');

/** Starts a browser with an empty profile. */
export const startChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath: found, args: FLAGS, headless: true });
