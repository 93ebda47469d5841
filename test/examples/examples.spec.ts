import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { root } from '../../scripts/build/project.mjs';
import { listFiles, read } from '../support/project-files.js';

/** What a reader takes over whole. */
const MAX_LINES = 200;
/** So that 200 lines are as long as lines are that are formatted; comments may be longer. */
const MAX_WIDTH = 160;
const BOTS = ['telegram-bot', 'discord-bot'];

const linesOf = (bot: string): string[] =>
  listFiles(['.mjs'])
    .filter((path) => path.startsWith(`examples/${bot}/`))
    .flatMap((path) => read(path).trimEnd().split('\n'));

it.each(BOTS)('examples/%s: has at most 200 lines of code, as its README and the guide say', (bot) => {
  const lines = linesOf(bot);
  expect(lines.length).toBeGreaterThan(100);
  expect(lines.length).toBeLessThanOrEqual(MAX_LINES);
  expect(lines.filter((line) => line.length > MAX_WIDTH)).toEqual([]);
  const guide = bot.replace('-bot', bot.startsWith('telegram') ? '-group' : '-server');
  for (const path of [`examples/${bot}/README.md`, `docs/guides/${guide}.md`])
    expect(read(path)).toMatch(new RegExp(`at most ${MAX_LINES} lines.*\`createRoleFollower\``));
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

it('examples: keep secrets and what they remember out of version control', () => {
  const examples = readdirSync(join(root, 'examples'));
  expect(examples).toEqual(expect.arrayContaining(BOTS));
  for (const example of examples)
    expect([example, read(`examples/${example}/.gitignore`).split('\n')]).toEqual([
      example,
      expect.arrayContaining(['.env', ...(BOTS.includes(example) ? ['state.json*'] : [])]),
    ]);
});
