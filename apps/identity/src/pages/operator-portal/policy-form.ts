import { type PolicyIssue, storedPolicyDocument } from '@app/dto';
import type { FormFields } from '../portal/application-form.js';
import type { PolicyFormView, PolicyListView } from '../views/account-policy-view.js';

/** A longer list of a policy is edited as JSON: four full lists and their empty rows fit into the fields of a form. */
const MAX_FORM_ROWS = 25;
/** Rows for new entries below those of a list; saving adds further ones. */
const EMPTY_ROWS = 2;

interface Column {
  readonly name: string;
  readonly label: string;
  /** What can be chosen; any text where it is absent. */
  readonly choices?: Readonly<Record<string, string>>;
}

const NETWORKS = { SOL: 'Solana', SOL_DEVNET: 'Solana devnet' };
const CHAIN = { name: 'chainId', label: 'Chain ID' };
const NETWORK = { name: 'network', label: 'Network', choices: NETWORKS };
const AMOUNT = { name: 'maxAmount', label: 'At most (smallest unit)' };

/** The lists of a policy. Each entry is a row of fields `<list>-<row>-<column>`. */
const LISTS: readonly { name: string; title: string; hint: string; columns: readonly Column[] }[] = [
  {
    name: 'calls',
    title: 'Contracts that accounts may call',
    hint: 'The target is an address or “any”. Functions are 4-byte selectors, separated by spaces; 0x is a payment without data; empty allows every function.',
    columns: [CHAIN, { name: 'target', label: 'Target' }, { name: 'selectors', label: 'Functions' }],
  },
  {
    name: 'tokens',
    title: 'Tokens with a limit for one operation',
    hint: 'What one operation moves and approves of a token, together.',
    columns: [CHAIN, { name: 'token', label: 'Token' }, AMOUNT],
  },
  {
    name: 'solanaTokens',
    title: 'Tokens on Solana with a limit for one transaction',
    hint: 'Only these may be moved then. Without an entry every token may be, unless you allow none.',
    columns: [NETWORK, { name: 'mint', label: 'Mint' }, AMOUNT],
  },
  {
    name: 'caps',
    title: 'Limits for a day or a month',
    hint: 'For all operations together, in wei, lamports or the smallest unit of the token. Days and months are those of UTC.',
    columns: [
      {
        name: 'of',
        label: 'What',
        choices: {
          gas: 'Gas',
          value: 'Coins sent',
          token: 'Token',
          mints: 'New tokens',
          lamports: 'SOL',
          sponsoredFees: 'Fees that the sponsor pays (Solana)',
          solanaToken: 'Token on Solana',
        },
      },
      { name: 'place', label: 'Chain ID or network' },
      { name: 'asset', label: 'Token or mint' },
      {
        name: 'per',
        label: 'Of',
        choices: { account: 'each account', application: 'all accounts together' },
      },
      { name: 'period', label: 'In a', choices: { day: 'day', month: 'month' } },
      { name: 'max', label: 'At most' },
    ],
  },
];

const SOLANA_CAPS = ['lamports', 'sponsoredFees', 'solanaToken'];

/** The parts of a policy are text, numbers, and lists of them. */
function toText(value: unknown): string {
  if (Array.isArray(value)) return value.map(toText).join(' ');
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
const words = (text = ''): string[] => text.split(/[\s,]+/).filter((word) => word !== '');

/** A chain id as a number; other text stays, and the policy's own check refuses it. */
const toChainId = (text: string): number | string => (/^\d{1,15}$/.test(text) ? Number(text) : text);

/** @returns the text of each field of a stored policy; undefined for one that is too long for the form or not understood */
export function toPolicyFields(document: string): FormFields | undefined {
  const { data } = storedPolicyDocument.safeParse(JSON.parse(document));
  if (data === undefined) return undefined;
  const fields: FormFields = {};
  for (const { name, columns } of LISTS) {
    const entries = data[name as 'calls' | 'tokens' | 'solanaTokens' | 'caps'] ?? [];
    if (entries.length > MAX_FORM_ROWS) return undefined;
    entries.forEach((entry, row) => {
      for (const { name: column } of columns) fields[`${name}-${row}-${column}`] = readCell(entry, column);
    });
  }
  for (const name of [
    'maxValue',
    'maxGasCost',
    'maxLamports',
    'mintChains',
    'sponsoredChains',
    'solanaPrograms',
  ] as const)
    fields[name] = toText(data[name]);
  for (const name of ['solanaNetworks', 'sponsoredNetworks'] as const)
    for (const network of data[name]) fields[`${name}-${network}`] = 'on';
  if (data.requiresIdempotencyKey) fields['requiresIdempotencyKey'] = 'on';
  if (data.solanaTokens?.length === 0) fields['allowsNoSolanaTokens'] = 'on';
  if (data.solanaPrograms?.length === 0) fields['allowsNoSolanaPrograms'] = 'on';
  return fields;
}

function readCell(entry: Readonly<Record<string, unknown>>, column: string): string {
  if (column === 'place') return toText(entry['chainId'] ?? entry['network']);
  if (column === 'asset') return toText(entry['token'] ?? entry['mint']);
  return toText(entry[column]);
}

interface WrittenPolicy {
  readonly document: string;
  /** The field of each place of the document, for issues. */
  fieldOf(issue: PolicyIssue): string;
}

/** Writes the policy of submitted fields. Rows without any text do not count; whether it is a policy, account-kit says. */
export function toPolicyDocument(fields: FormFields): WrittenPolicy {
  const rows = new Map<string, number[]>();
  const lists = LISTS.map(({ name, columns }) => {
    const cell = (row: number, column: string): string => (fields[`${name}-${row}-${column}`] ?? '').trim();
    const used = rowsOf(fields, name).filter((row) =>
      columns.some(({ name: column, choices }) => choices === undefined && cell(row, column) !== ''),
    );
    rows.set(name, used);
    return [name, used.map((row) => writeEntry(name, (column) => cell(row, column)))] as const;
  });
  const { solanaTokens = [], ...others } = Object.fromEntries(lists);
  const programs = words(fields['solanaPrograms']);
  const networks = (name: string) =>
    Object.keys(NETWORKS).filter((network) => fields[`${name}-${network}`] === 'on');
  const amount = (name: string) => (fields[name]?.trim() ? { [name]: fields[name].trim() } : {});
  const policy = {
    ...others,
    ...amount('maxValue'),
    ...amount('maxGasCost'),
    ...amount('maxLamports'),
    mintChains: words(fields['mintChains']).map(toChainId),
    sponsoredChains: words(fields['sponsoredChains']).map(toChainId),
    requiresIdempotencyKey: fields['requiresIdempotencyKey'] === 'on',
    solanaNetworks: networks('solanaNetworks'),
    sponsoredNetworks: networks('sponsoredNetworks'),
    ...(solanaTokens.length > 0 || fields['allowsNoSolanaTokens'] === 'on' ? { solanaTokens } : {}),
    ...(programs.length > 0 || fields['allowsNoSolanaPrograms'] === 'on' ? { solanaPrograms: programs } : {}),
  };
  return {
    document: JSON.stringify(policy, undefined, 2),
    fieldOf: ({ path: [list = '', at, key] }) => {
      const row = typeof at === 'number' ? rows.get(String(list))?.[at] : undefined;
      return row === undefined ? String(list) : `${String(list)}-${row}-${toColumn(String(list), key)}`;
    },
  };
}

/** The rows of a list that were submitted, in their order. */
const rowsOf = (fields: FormFields, list: string): number[] =>
  [
    ...new Set(
      Object.keys(fields).flatMap((name) => new RegExp(`^${list}-(\\d{1,3})-`).exec(name)?.[1] ?? []),
    ),
  ]
    .map(Number)
    .toSorted((a, b) => a - b);

function writeEntry(list: string, cell: (column: string) => string): object {
  switch (list) {
    case 'calls': {
      const selectors = words(cell('selectors'));
      const target = cell('target');
      return { chainId: toChainId(cell('chainId')), target, ...(selectors.length > 0 ? { selectors } : {}) };
    }
    case 'tokens':
      return { chainId: toChainId(cell('chainId')), token: cell('token'), maxAmount: cell('maxAmount') };
    case 'solanaTokens':
      return { network: cell('network'), mint: cell('mint'), maxAmount: cell('maxAmount') };
    default: {
      const of = cell('of');
      const place = SOLANA_CAPS.includes(of)
        ? { network: cell('place') }
        : { chainId: toChainId(cell('place')) };
      const asset =
        of === 'solanaToken' ? { mint: cell('asset') } : of === 'token' ? { token: cell('asset') } : {};
      return { of, ...place, ...asset, per: cell('per'), period: cell('period'), max: cell('max') };
    }
  }
}

function toColumn(list: string, key: PropertyKey | undefined): string {
  const [first] = LISTS.find(({ name }) => name === list)?.columns ?? [];
  if (list === 'caps' && (key === 'chainId' || key === 'network')) return 'place';
  if (list === 'caps' && (key === 'token' || key === 'mint')) return 'asset';
  return key === undefined ? (first?.name ?? '') : String(key);
}

/** The names of the parts that are in no list, as the page has them. */
const PARTS: Readonly<Record<string, string>> = {
  maxValue: 'Coins that its calls send together (wei)',
  maxGasCost: 'Cost of its gas (wei)',
  maxLamports: 'Lamports that a Solana transaction takes from the account',
  mintChains: 'Chains on which it may mint',
  sponsoredChains: 'Chains on which a sponsor pays the gas',
  solanaPrograms: 'Programs of Solana whose instructions are not decoded',
};

/** The name of each field of a view, for the list of problems. */
export const getPolicyLabels = ({ lists }: PolicyFormView): Record<string, string> => ({
  ...PARTS,
  ...Object.fromEntries(lists.map(({ name, title }) => [name, title])),
  ...Object.fromEntries(lists.flatMap(({ rows }) => rows.flat().map(({ field, label }) => [field, label]))),
});

/** What the page shows: the text of each field, and rows for new entries. */
export function toPolicyFormView(
  fields: FormFields,
  problems: Readonly<Record<string, string>>,
): PolicyFormView {
  const lists = LISTS.map(({ name, title, hint, columns }): PolicyListView => {
    const submitted = rowsOf(fields, name);
    const next = (submitted.at(-1) ?? -1) + 1;
    const isFull = submitted.length >= MAX_FORM_ROWS;
    const empty = isFull ? [] : Array.from({ length: EMPTY_ROWS }, (_, at) => next + at);
    const rows = [...submitted, ...empty].map((row) =>
      columns.map(({ name: column, label, choices }) => {
        const field = `${name}-${row}-${column}`;
        return {
          field,
          label: `${label}, ${title}, row ${row + 1}`,
          value: fields[field] ?? '',
          choices,
          problem: problems[field],
        };
      }),
    );
    return { name, title, hint, headings: columns.map(({ label }) => label), rows };
  });
  return { fields, lists, parts: PARTS, networks: NETWORKS, problems };
}
