// Writes docs/errors.md from the error factories in the code. `--check` only says whether it is fresh.
// Fails when a code does not follow the grammar, or has more than one status.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { collectErrors } from '../docs/collect-errors.mjs';
import { root } from '../build/project.mjs';
import { RENAMED_CODES } from '../docs/renamed-codes.mjs';

/** @import { ErrorFacts } from '../docs/collect-errors.mjs' */

/** @type {[suffix: string, meaning: string][]} */
const SUFFIXES = [
  ['not_found', 'it does not exist, or the caller may not know that it does'],
  ['required', 'something is missing: a credential, a body, a role'],
  ['invalid', 'what was sent is not acceptable as it is'],
  ['unavailable', 'it cannot be answered right now: try again after `Retry-After`'],
  ['conflict', 'the state of the resource does not allow it'],
  ['limit_exceeded', 'a limit is used up; `details` says which'],
  ['not_supported', 'the service does not do this'],
  ['forbidden', 'the caller may not do this'],
  ['timeout', 'it took too long'],
];
/** `parameter_unknown` and the last eleven are named by docs/contract.md, sections 1, 2, 7 and 10. */
const EXCEPTIONS = [
  'internal_error',
  'operation_mismatch',
  'parameter_unknown',
  'account_deploying',
  'bundler_estimate_refused',
  'community_suspended',
  'fees_too_high',
  'frozen',
  'operation_too_large',
  'origin_not_allowed',
  'passkeys_not_available',
  'platform_not_configured',
  'platform_token_not_bound',
  'username_taken',
  'would_revert',
];

const target = join(root, 'docs/errors.md');
const errors = collectErrors(root);
const problems = errors.flatMap(({ code, statuses }) => [
  ...(statuses.length > 1 ? [`${code} has several statuses: ${statuses.join(', ')}`] : []),
  ...(isRegular(code) ? [] : [`${code} does not end in ${SUFFIXES.map(([suffix]) => suffix).join(', ')}`]),
]);

const fresh = page(errors);
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exit(1);
} else if (process.argv.includes('--check')) {
  if (readFileSync(target, 'utf8') !== fresh) {
    console.error('docs/errors.md is stale: run `npm run errors` and commit the result.');
    process.exit(1);
  }
  console.log('docs/errors.md is fresh.');
} else {
  writeFileSync(target, fresh);
  console.log(`docs/errors.md: ${errors.length} codes.`);
}

/** @param {string} code */
function isRegular(code) {
  return EXCEPTIONS.includes(code) || SUFFIXES.some(([suffix]) => code.endsWith(`_${suffix}`));
}

/** @param {ErrorFacts[]} all */
function page(all) {
  /** @param {string[]} cells */
  const row = (cells) => `| ${cells.join(' | ')} |`;
  return [
    '# Error codes',
    '',
    'Generated from the error factories by `npm run errors`. Every answer that is not a success has the body',
    '`{ "error": { "name", "message", "statusCode", "details", "stack" } }` ([spec.md](spec.md) 2.3); programs decide by',
    '`error.details.code`. OAuth endpoints answer as RFC 6749 says instead. One code has one status.',
    '',
    row(['A code that ends in', 'says']),
    row(['---', '---']),
    ...SUFFIXES.map(([suffix, meaning]) => row([`\`_${suffix}\``, meaning])),
    '',
    '## All codes',
    '',
    row(['Code', 'Status', 'From', 'Message']),
    row(['---', '---', '---', '---']),
    ...all.map(({ code, statuses, sources, messages }) =>
      row([`\`${code}\``, statuses.join(', '), sources.join(', '), messages.join('<br>')]),
    ),
    '',
    '## Renamed codes',
    '',
    'Codes until version 0.81 and what they are called now.',
    '',
    row(['Old code', 'New code']),
    row(['---', '---']),
    ...Object.entries(RENAMED_CODES).map(([old, now]) => row([`\`${old}\``, `\`${now}\``])),
    '',
  ].join('\n');
}
