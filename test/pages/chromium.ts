import { type Browser, chromium } from 'playwright-core';
import { pathOf } from '../support/needs.js';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts a browser with an empty profile. */
export const startChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath: pathOf('chromium'), args: FLAGS, headless: true });
