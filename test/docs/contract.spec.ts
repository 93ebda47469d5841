import { describe, expect, it } from '@jest/globals';
import { MAX_OPERATOR_LOGIN_AGE_SECONDS } from '@app/auth';
import { HOUR_MS, MAX_JSON_DEPTH, MINUTE_MS, MINUTE_SECONDS } from '@app/common';
import {
  DEFAULT_REPORT_RANGE,
  EXPLANATIONS,
  MAX_RULES,
  MAX_TOKEN_IDS,
  MAX_TRIED_ADDRESSES,
  PLAN_LIMITS,
  REPORT_RANGES,
} from '@app/dto';
import { loadOpenApiDocument } from '@app/openapi';
import { MAX_BODY_BYTES } from '@app/service';
import { MAX_BUCKETS } from '../../apps/analytics/src/time/report-period.js';
import { MAX_EXACT_MEMBERS } from '../../apps/analytics/src/rollups/distinct-sketch.js';
import { MAX_BYTES_PER_OWNER } from '../../apps/gateway/src/pipeline/forward/body-memory.js';
import { MAX_ASSETS } from '../../apps/token-gating/src/assets/asset-ownership.dto.js';
import { MAX_TOKENS } from '../../apps/token-gating/src/assets/lists/asset-reader.js';
import { MAX_CLAIMS_PER_USER, MAX_TOKEN_LENGTH } from '../../apps/token-gating/src/assets/assets.errors.js';
import { DEFAULT_ATTEMPT_DELAYS_MS } from '../../apps/token-gating/src/callbacks/retry-schedule.js';
import { MAX_DELIVERIES_PER_RESULT } from '../../apps/token-gating/src/callbacks/callback.errors.js';
import { MAX_READS, MAX_TOKEN_LISTS } from '../../apps/token-gating/src/checks/validate-rules.js';
import {
  MAX_MEMBERS_WITHOUT_APPLICATION,
  MAX_OWNED_WITHOUT_APPLICATION,
  MAX_RULES_WITHOUT_APPLICATION,
} from '../../apps/token-gating/src/communities/without-application/rule-limits.js';
import {
  MAX_INTERACTION_AGE_DAYS,
  MAX_INTERACTIONS,
  MAX_INTERACTIONS_PER_DAY,
} from '../../apps/token-gating/src/communities/interactions/interaction.dto.js';
import {
  MAX_CREDENTIALS_PER_USER,
  MAX_ISSUES_PER_USER_AND_DAY,
} from '../../apps/token-gating/src/verifiable-credentials/holders/credential-limits.js';
import { METADATA_LIMITS } from '../../apps/token-gating/src/metadata/metadata.config.js';
import { MAX_ENUMERATED_TOKENS } from '../../apps/token-gating/src/rules/rule-failures.js';
import { MAX_HELD_TOKENS } from '../../apps/token-gating/src/rules/traits/held-tokens.js';
import { read } from '../support/project-files.js';

const CONTRACT = 'docs/contract.md';
const ANALYTICS = 'docs/guides/analytics.md';
const CREDENTIALS = 'docs/guides/credentials.md';
const COMMUNITIES = 'docs/guides/run-a-community.md';
const MIB = 1024 * 1024;

const digits = (value: number): string => value.toLocaleString('en-US');

function formatDelay(ms: number): string {
  if (ms >= HOUR_MS) return `${ms / HOUR_MS} h`;
  return ms >= MINUTE_MS ? `${ms / MINUTE_MS} min` : `${ms / 1000} s`;
}

const ranges = REPORT_RANGES.filter((range) => range !== 'all').map((range) =>
  range === DEFAULT_REPORT_RANGE ? `\`${range}\` (default)` : `\`${range}\``,
);
const { free, paid } = PLAN_LIMITS;
const loginAge = `signed in at most ${MAX_OPERATOR_LOGIN_AGE_SECONDS / MINUTE_SECONDS} minutes ago`;

const GRANTED = new Map([
  [true, 'granted'],
  [false, 'not granted'],
  [null, 'unknown'],
]);

/** Sentences of pages that repeat a limit or a list of the code. */
const SENTENCES: readonly (readonly [page: string, text: string])[] = [
  [CONTRACT, `Body ${MAX_BODY_BYTES / MIB} MiB by default`],
  [CONTRACT, `JSON depth ${MAX_JSON_DEPTH}`],
  [
    CONTRACT,
    `Free ${free.perSecond} requests/s and ${digits(free.perMonth)}/month, ${free.clients} client applications, ${free.keys} live API keys, ${digits(free.members)} members of a community; ` +
      `Paid ${paid.perSecond}/s, ${digits(paid.perMonth)}/month, ${paid.clients}, ${paid.keys}, ${digits(paid.members)}`,
  ],
  [CONTRACT, `they take at most ${MAX_BYTES_PER_OWNER / MIB} MiB at a time`],
  [CONTRACT, `\`rules\` (1 to ${MAX_RULES})`],
  [CONTRACT, `at most ${MAX_TOKEN_LISTS} such lists a request`],
  [CONTRACT, `At most ${digits(MAX_TOKEN_IDS)} ids a rule and ${digits(MAX_READS)} reads a request`],
  [CONTRACT, `Retries: at once, then ${DEFAULT_ATTEMPT_DELAYS_MS.map(formatDelay).join(', ')}, each`],
  [CONTRACT, `A result is delivered at most ${MAX_DELIVERIES_PER_RESULT} times`],
  [CONTRACT, `At most ${MAX_HELD_TOKENS} held tokens`],
  [CONTRACT, `beyond ${digits(MAX_ENUMERATED_TOKENS)} enumerated tokens`],
  [
    CONTRACT,
    `the safe fetcher, ${METADATA_LIMITS.maxBytes / MIB} MiB, ${METADATA_LIMITS.timeoutMs / 1000} s; kept`,
  ],
  [CONTRACT, `(repeatable, at most ${MAX_ASSETS})`],
  [CONTRACT, `\`tokens: [{ id, balance, uri, metadata }]\`, at most ${MAX_TOKENS}`],
  [CONTRACT, `At most ${MAX_CLAIMS_PER_USER} valid claims a user`],
  [CONTRACT, `above ${digits(MAX_TOKEN_LENGTH)} characters 400`],
  [CONTRACT, `\`range\`: ${ranges.join(', ')}, \`all\``],
  [CONTRACT, `At most ${digits(MAX_BUCKETS)} buckets`],
  [CONTRACT, `exact up to ${digits(MAX_EXACT_MEMBERS)} members in a bucket`],
  [CONTRACT, `at most ${digits(MAX_INTERACTIONS)} \`{ id, platformUserId, kind, at }\``],
  [CONTRACT, `\`at\` at most ${MAX_INTERACTION_AGE_DAYS} days back`],
  [CONTRACT, `At most ${digits(MAX_INTERACTIONS_PER_DAY)} of a community and application in a UTC day`],
  [CONTRACT, `At most ${MAX_CREDENTIALS_PER_USER} live credentials a user`],
  [CONTRACT, `on a UTC day at most ${MAX_ISSUES_PER_USER_AND_DAY} are issued`],
  [CREDENTIALS, `A user has at most ${MAX_CREDENTIALS_PER_USER} live credentials`],
  [CREDENTIALS, `on a UTC day at most ${MAX_ISSUES_PER_USER_AND_DAY} are issued for one user`],
  ...Object.entries(EXPLANATIONS).map(
    ([code, { granted, sentence }]) =>
      ['docs/guides/checks.md', `| \`${code}\` | ${GRANTED.get(granted) ?? ''} | ${sentence} |`] as const,
  ),
  [
    COMMUNITIES,
    `you may have ${MAX_OWNED_WITHOUT_APPLICATION} communities with ${MAX_MEMBERS_WITHOUT_APPLICATION} members and ${MAX_RULES_WITHOUT_APPLICATION} rules each`,
  ],
  [COMMUNITIES, `paste up to ${MAX_TRIED_ADDRESSES} addresses`],
  [CONTRACT, loginAge],
  ['docs/guides/client-applications.md', loginAge],
  [ANALYTICS, `${ranges.join(', ')}; \`all\``],
  [ANALYTICS, `at most ${digits(MAX_BUCKETS)} buckets`],
  [ANALYTICS, `up to ${digits(MAX_INTERACTIONS)} at a time`],
  [ANALYTICS, `\`at\` is at most ${MAX_INTERACTION_AGE_DAYS} days ago`],
  [ANALYTICS, `may report ${digits(MAX_INTERACTIONS_PER_DAY)} interactions`],
  [
    'README.md',
    `| free | ${free.perSecond} | ${digits(free.perMonth)} | ${free.clients} | ${free.keys} | | paid | ${paid.perSecond} | ${digits(paid.perMonth)} | ${paid.clients} | ${paid.keys} |`,
  ],
];

describe('docs/contract.md', () => {
  const operations = Object.values(loadOpenApiDocument().paths).flatMap((methods) => Object.values(methods));
  const [, sectionOne = ''] = read(CONTRACT).split(/^## /m);

  it('contract.md section 1: names every tag of the OpenAPI document, and no other', () => {
    const named = new Set(sectionOne.match(/\b\w+Controller\b/g));
    const tags = new Set(operations.flatMap(({ operationId }) => operationId.split('.')[0] ?? []));
    expect([...named].toSorted()).toEqual([...tags].toSorted());
  });

  it('contract.md section 1: its table has every method of its tags, with the caller', () => {
    const callers = new Map<string, string>();
    let tags: string[] = [];
    for (const [, tagCell = '', methodCell = '', callerCell = ''] of sectionOne.matchAll(
      /^\| ([^|]*) \| ([^|]*) \| ([^|]*) \|$/gm,
    )) {
      if (tagCell.trim() !== '') tags = tagCell.match(/\w+Controller/g) ?? [];
      const names = methodCell.replaceAll(/\([^)]*\)/g, '').match(/\w+/g) ?? [];
      const caller = /^\w+/.exec(callerCell.trim())?.[0] ?? '';
      for (const tag of tags) for (const name of names) callers.set(`${tag}.${name}`, caller);
    }
    const tagged = operations.filter(({ operationId }) =>
      [...callers.keys()].some((name) => name.startsWith(`${operationId.split('.')[0] ?? ''}.`)),
    );
    expect(tagged.length).toBeGreaterThan(30);
    const wrong = tagged
      .map(({ operationId, 'x-caller': caller }) => [operationId, caller, callers.get(operationId)])
      // The row of OAuth says apart who calls userinfo.
      .filter(([id, caller, documented]) => caller !== documented && id !== 'OAuth2Controller.userinfo');
    expect(wrong).toEqual([]);
  });

  it.each(SENTENCES)('%s repeats the limit of the code: %s', (name, text) => {
    expect(read(name).replaceAll(/\s+/g, ' ')).toContain(text);
  });
});
