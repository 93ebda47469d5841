import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { APP_COMMANDS } from '../../scripts/images/app-commands.mjs';
import { root } from '../../scripts/build/project.mjs';

const COMMANDS = [
  ...Object.keys(APP_COMMANDS),
  'migrate',
  'secrets',
  'images',
  'deploy',
  'kubectl',
  'dashboards',
];
/** kubectl answers `--help` itself, and is fetched for it. */
const WITH_HELP = COMMANDS.filter((name) => name !== 'kubectl');

function gatehouse(...args: string[]) {
  return run([join(root, 'scripts/commands/gatehouse.mjs'), ...args]);
}

function run(args: string[], env: NodeJS.ProcessEnv = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: root,
    encoding: 'utf8',
    timeout: 120_000,
    env: { PATH: process.env['PATH'], DATABASE_URL: 'postgres://127.0.0.1:1/none', ...env },
  });
  return { status, stdout, stderr };
}

describe('npm run gatehouse', () => {
  it('npm run gatehouse: lists every command with one line each', () => {
    const { status, stdout, stderr } = gatehouse();
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const listed = [...stdout.matchAll(/^ {2}(\S+) {2,}\S.*$/gm)].map(([, name]) => name);
    expect(listed).toEqual(COMMANDS);
  });

  it('npm run gatehouse: names a command that there is not, lists the others and exits with 64', () => {
    const { status, stdout, stderr } = gatehouse('frieze', 'show');
    expect({ status, stdout }).toEqual({ status: 64, stdout: '' });
    expect(stderr).toContain('There is no command frieze.');
    expect(stderr).toContain('  freeze ');
  });

  it.each(WITH_HELP)('npm run gatehouse: %s --help says how the command is called', (name) => {
    const { status, stdout, stderr } = gatehouse(name, '--help');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain(`npm run gatehouse -- ${name}`);
  });

  it.each(WITH_HELP)('npm run gatehouse: %s names a flag that it does not take and exits with 64', (name) => {
    const { status, stdout, stderr } = gatehouse(name, '--no-such-flag', 'x');
    expect({ status, stdout }).toEqual({ status: 64, stdout: '' });
    expect(stderr).toContain('--no-such-flag');
  });

  it.each([
    [['freeze', 'set', '--everything'], '--reason'],
    [['policies', 'show'], '--client'],
    [['platforms', 'add-bot', '--client', 'client_1'], '--bot'],
    [['actions', 'list'], '--client'],
    [['analytics', 'rebuild'], '--community'],
    [['client', 'create', '--plan', 'free'], '--name'],
    [['deploy'], '<overlay>'],
  ])('npm run gatehouse: %j names what is missing and exits with 64', (args, missing) => {
    const { status, stdout, stderr } = gatehouse(...args);
    expect({ status, stdout }).toEqual({ status: 64, stdout: '' });
    expect(stderr).toContain(missing);
  });

  it.each(['migrate', 'secrets', 'dashboards'])(
    'npm run gatehouse: %s refuses an argument, which it takes none of',
    (name) => {
      const { status, stderr } = gatehouse(name, 'surplus');
      expect(status).toBe(64);
      expect(stderr).toContain('"surplus" is one argument too many');
    },
  );

  it('package.json: keeps the earlier name of each command', () => {
    for (const name of COMMANDS) {
      const { scripts } = packageJson();
      expect(scripts[name]).toMatch(new RegExp(`node scripts/commands/gatehouse\\.mjs ${name}$`));
    }
  });
});

const packageJson = () =>
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

describe('node /app/gatehouse.mjs', () => {
  function inImageOf(commands: string[], args: string[]) {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-commands-'));
    try {
      for (const file of ['gatehouse.mjs', 'app-commands.mjs'])
        cpSync(join(root, 'scripts/images', file), join(folder, file));
      for (const name of commands)
        writeFileSync(
          join(folder, `${name}.command.js`),
          'console.log(process.argv.slice(2).join()); process.exitCode = 65;',
        );
      return run([join(folder, 'gatehouse.mjs'), ...args]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  it('gatehouse.mjs: lists the commands of its image', () => {
    const { status, stdout } = inImageOf(['create-client'], []);
    expect(status).toBe(0);
    expect([...stdout.matchAll(/^ {2}(\S+) {2,}\S.*$/gm)].map(([, name]) => name)).toEqual(['client']);
  });

  it('gatehouse.mjs: runs a command with its arguments, and exits with its code', () => {
    const { status, stdout } = inImageOf(['freeze'], ['freeze', 'show', '--chain', '1']);
    expect({ status, stdout }).toEqual({ status: 65, stdout: 'show,--chain,1\n' });
  });

  it('gatehouse.mjs: says in which image a command is that this one has not', () => {
    const { status, stderr } = inImageOf(['freeze'], ['client', 'list']);
    expect(status).toBe(64);
    expect(stderr).toContain('The command client is in the image of identity.');
  });

  it('gatehouse.mjs: names a command that there is not', () => {
    const { status, stderr } = inImageOf(['freeze'], ['frieze']);
    expect(status).toBe(64);
    expect(stderr).toContain('There is no command frieze.');
  });
});
