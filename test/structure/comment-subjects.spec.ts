import { describe, it } from '@jest/globals';
import parser from '@typescript-eslint/parser';
import { RuleTester } from 'eslint';
import { commentSubjects } from '../../scripts/lint/comment-subjects.mjs';

RuleTester.describe = describe;
RuleTester.it = it;

const valid = [
  '/** A UTC day or calendar month. */ const period = 1;',
  '/** Inserts operations in the given order. */ const insert = 1;',
  '// The lock needs a statement of its own,\n// of which only later statements\n// to be exact, see it.\nconst sql = 1;',
  'const text = "// Of a string";',
];
const invalid = [
  '/** Of UTC. */ const period = 1;',
  '/* To the worker. */ const message = 1;',
  '/**\n * Those for which there is no room,\n * or all.\n */\nconst rest = 1;',
  '// Also when the parent was killed.\nconst end = 1;',
  'const share = 1; // in lamports',
  // A comment behind code does not continue the one above it, nor does one after an empty line.
  '// The share.\nconst share = 1; // of the fee',
  '// The share.\n\n// Its fee.\nconst fee = 1;',
  'interface Owner<T> {\n  /** By user id. */\n  readonly names: T;\n}',
];

new RuleTester({ languageOptions: { parser } }).run('comment-subjects', commentSubjects, {
  valid: valid.map((code) => ({ name: `comment-subjects: accepts ${JSON.stringify(code)}`, code })),
  invalid: invalid.map((code) => ({
    name: `comment-subjects: refuses ${JSON.stringify(code)}`,
    code,
    errors: [{ messageId: 'unnamed' }],
  })),
});
