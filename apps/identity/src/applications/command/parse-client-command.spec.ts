import { describe, expect, it } from '@jest/globals';
import { UsageError } from '@app/database';
import { parseClientCommand } from './parse-client-command.js';

describe('parseClientCommand', () => {
  it.each([
    [['create', '--plan', 'free'], '--name: is missing'],
    [['--name', 'a', '--plan', 'gold'], '--plan:'],
    [['create', '--name', 'a'], '--plan: is missing'],
    [
      ['create', '--name', 'a', '--plan', 'enterprise', '--requests-per-second', '5'],
      '--requests-per-month: is needed',
    ],
    [
      ['create', '--name', 'a', '--plan', 'free', '--requests-per-second', '5'],
      '--requests-per-second: is for an ent',
    ],
    [
      [
        'create',
        '--name',
        'a',
        '--plan',
        'enterprise',
        '--requests-per-second',
        '1e3',
        '--requests-per-month=-1',
      ],
      '--requests-per-second: must be a whole number',
    ],
    [
      ['create', '--name', 'a', '--plan', 'free', '--scopes', 'token-gating,root'],
      '--scopes: not a scope: root',
    ],
    [['create', '--name', 'a', '--plan', 'free', '--owner', 'owner_1'], '--plan: belongs to the owner'],
    [
      ['set-plan', 'owner_1', '--plan', 'paid', '--max-api-keys', '5'],
      '--max-api-keys: is for an enterprise plan',
    ],
    [
      ['create', '--name', 'a', '--owner', 'owner_1', '--max-client-applications', '5'],
      '--max-client-applications: belongs to the owner',
    ],
    [['create', '--name', 'a\n', '--plan', 'free'], '--name: must not hold control'],
    [['create', '--nme', 'a'], '--nme'],
    [['create', '--name'], '--name'],
    [['revoke-key'], '<key>: is missing'],
    [['revoke-key', 'a', 'b'], '"b" is one argument too many'],
    [['explode'], '"explode" is not a command'],
    [[], 'A command is missing'],
  ])('parseClientCommand: rejects %j and names the problem', (args, message) => {
    expect(() => parseClientCommand(args)).toThrow(message);
    expect(() => parseClientCommand(args)).toThrow(UsageError);
  });

  it('parseClientCommand: accepts valid command lines', () => {
    const args = [
      '--name',
      'a',
      '--plan',
      'enterprise',
      '--requests-per-second',
      '5',
      '--requests-per-month',
      '6',
    ];
    expect(parseClientCommand(args).wantsJson).toBe(false);
    expect(parseClientCommand(['create', '--json', ...args]).wantsJson).toBe(true);
    expect(parseClientCommand(['revoke-key', '0123456789ab', '--in-seconds', '60']).wantsJson).toBe(false);
  });
});
