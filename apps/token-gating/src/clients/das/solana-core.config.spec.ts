import { InvalidConfigurationError } from '@app/config';
import { afterEach, describe, expect, it } from '@jest/globals';
import { SolanaCoreConfig } from './solana-core.config.js';

const DEVNET = 8_000_000_000_103;
const MAINNET = 8_000_000_000_101;
const url = 'https://indexer.example/?api-key=secret';

const nodes = { [`RPC_URL_${DEVNET}`]: 'http://node', [`RPC_URL_${MAINNET}`]: 'http://node' };
/** A cluster without nodes. */
const TESTNET = 8_000_000_000_102;

const names = [DEVNET, MAINNET, TESTNET, 1].flatMap((id) => [
  ...[`DAS_URL_${id}`, `SOLANA_CORE_${id}`, `RPC_URL_${id}`],
]);

afterEach(() => {
  for (const name of names) Reflect.deleteProperty(process.env, name);
});

function load(env: Readonly<Record<string, string>>): unknown {
  Object.assign(process.env, nodes, env);
  return Object.fromEntries(new SolanaCoreConfig().sources);
}

describe('the sources of Core assets', () => {
  it.each<[string, Record<string, string>, object]>([
    ['none', {}, {}],
    ['an indexer where it is set', { [`DAS_URL_${DEVNET}`]: url }, { [DEVNET]: { mode: 'das', url } }],
    ['nodes', { [`SOLANA_CORE_${DEVNET}`]: 'rpc' }, { [DEVNET]: { mode: 'rpc' } }],
    [
      'nodes although an indexer is set',
      { [`DAS_URL_${DEVNET}`]: url, [`SOLANA_CORE_${DEVNET}`]: 'rpc' },
      { [DEVNET]: { mode: 'rpc' } },
    ],
    ['none by `off`', { [`DAS_URL_${DEVNET}`]: url, [`SOLANA_CORE_${DEVNET}`]: 'off' }, {}],
    [
      'one per cluster',
      { [`DAS_URL_${DEVNET}`]: url, [`SOLANA_CORE_${MAINNET}`]: 'rpc' },
      { [DEVNET]: { mode: 'das', url }, [MAINNET]: { mode: 'rpc' } },
    ],
  ])('sources of Core assets: are %s', (_, env, expected) => {
    expect(load(env)).toEqual(expected);
  });

  it.each<[string, Record<string, string>, string]>([
    ['an unknown word', { [`SOLANA_CORE_${DEVNET}`]: 'DAS' }, 'must be das, rpc or off'],
    ['`das` without an indexer', { [`SOLANA_CORE_${DEVNET}`]: 'das' }, `needs DAS_URL_${DEVNET}`],
    ['no URL', { [`DAS_URL_${DEVNET}`]: 'indexer' }, 'must be an http or https URL'],
    ['a mode of an EVM chain', { SOLANA_CORE_1: 'rpc' }, 'is of no Solana cluster'],
    ['a cluster without nodes', { [`SOLANA_CORE_${TESTNET}`]: 'rpc' }, `needs RPC_URL_${TESTNET}`],
    ['an indexer of a cluster without nodes', { [`DAS_URL_${TESTNET}`]: url }, `needs RPC_URL_${TESTNET}`],
    ['an indexer of an EVM chain', { DAS_URL_1: url }, 'is of no Solana cluster'],
  ])(
    'sources of Core assets: are rejected at start for %s, with the variable and without its value',
    (_, env, reason) => {
      const [name = ''] = Object.keys(env);
      expect(() => load(env)).toThrow(InvalidConfigurationError);
      expect(() => load(env)).toThrow(`${name}: ${reason}`);
      expect(() => load(env)).not.toThrow(/secret/);
    },
  );
});
