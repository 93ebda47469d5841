import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apps } from '../../../scripts/suite/apps.mjs';
import { root } from '../../../scripts/build/project.mjs';

export interface Variable {
  name: string;
  format: string;
  required: boolean;
  /** Whether the value must not be readable by others in every case. */
  secret: boolean;
  /** Whether a value may hold a key, as URLs of nodes do. */
  mayBeSecret: boolean;
}

/** docs/configuration.md, which is generated from the apps' schemas: the variables that each app reads. */
export function readConfigurationTable(): ReadonlyMap<string, Variable[]> {
  const page = readFileSync(join(root, 'docs/configuration.md'), 'utf8');
  const sections = new Map(
    page.split('\n## ').map((text) => [text.slice(0, text.indexOf('\n')), text] as const),
  );
  const common = parseRows(sections.get('All apps') ?? '');
  const shared = parseRows(sections.get('Shared by several apps') ?? '');
  return new Map(
    apps.map(({ name }) => {
      const section = sections.get(name) ?? '';
      const [, required = ''] = /^Shared variables that it requires: (.*)\.$/m.exec(section) ?? [];
      const own = shared
        .filter(({ readers }) => readers.includes(name))
        .map((variable) => ({ ...variable, required: required.includes(`\`${variable.name}\``) }));
      return [name, [...common, ...own, ...parseRows(section)]];
    }),
  );
}

/** Cells: name, in the shared table the apps that read it, description, format, default, secret. */
function parseRows(section: string): (Variable & { readers: string[] })[] {
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))
    .map((cells) => ({
      name: (cells[1] ?? '').replaceAll('`', ''),
      readers: cells.length === 8 ? (cells[2] ?? '').split(', ') : [],
      format: cells.at(-4) ?? '',
      required: cells.at(-3) === '**required**',
      secret: cells.at(-2) === 'yes',
      mayBeSecret: !['', 'yes'].includes(cells.at(-2) ?? ''),
    }));
}

/** Optional variables without which a whole group of operations only answers that the deployment is not configured. */
export const ANSWERING_VARIABLES: Readonly<Record<string, readonly string[]>> = {
  'token-gating': ['IPFS_GATEWAYS'],
  'account-kit': ['PLATFORM_CHAT_URL', 'PLATFORM_CODEHOST_URL', 'PLATFORM_MICROBLOG_URL'],
};

/** `RPC_URL_<chainId>` is the name of many variables. */
export const isNamed = (variable: Variable, name: string): boolean =>
  new RegExp(
    `^${variable.name.replace('<chainId>', '\\d+')}${variable.secret || variable.mayBeSecret ? '(?:_FILE)?' : ''}$`,
  ).test(name);
