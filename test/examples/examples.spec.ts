import { expect, it } from '@jest/globals';
import { listFiles, read } from '../support/project-files.js';

/** What a reader takes over whole. */
const MAX_LINES = 200;
const BOTS = ['telegram-bot', 'discord-bot'];

const linesOf = (bot: string): number =>
  listFiles(['.mjs'])
    .filter((path) => path.startsWith(`examples/${bot}/`))
    .reduce((lines, path) => lines + read(path).trimEnd().split('\n').length, 0);

it.each(BOTS)('examples/%s: has at most 200 lines of code, as its README and the guide say', (bot) => {
  const lines = linesOf(bot);
  expect(lines).toBeGreaterThan(100);
  expect(lines).toBeLessThanOrEqual(MAX_LINES);
  const guide = bot.replace('-bot', bot.startsWith('telegram') ? '-group' : '-server');
  for (const path of [`examples/${bot}/README.md`, `docs/guides/${guide}.md`])
    expect(read(path)).toContain(`at most ${MAX_LINES} lines`);
});

it('example bots: have the same part for Gatehouse', () => {
  const [telegram, discord] = BOTS.map((bot) => read(`examples/${bot}/gatehouse.mjs`));
  expect(discord).toBe(telegram);
});

it.each(BOTS)('examples/%s: reads the settings that its .env.example has, and no others', (bot) => {
  const text = ['bot', 'gatehouse'].map((name) => read(`examples/${bot}/${name}.mjs`)).join('');
  const used = [...text.matchAll(/setting\('(\w+)'\)/g)].map(([, name]) => name);
  const offered = [...read(`examples/${bot}/.env.example`).matchAll(/^(\w+)=/gm)].map(([, name]) => name);
  expect([...new Set(used)].toSorted()).toEqual(offered.toSorted());
});
