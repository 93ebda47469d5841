import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HostileNode, type NodeBehaviour, reply } from '../support/hostile-node.js';
import { LocalChain } from '../support/local-chain.js';
import { GatingApp } from './gating-app.js';

const holder = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
/** Chains whose node is down, missing, rate limited, and unresponsive. */
const [downChain, bareChain, busyChain, silentChain] = [1, 10, 137, 8_453] as const;
const lenient = { Prefer: 'handling=lenient' };

let chain: LocalChain;
let busy: HostileNode;
let silent: HostileNode;
let gating: GatingApp;

beforeAll(async () => {
  chain = await LocalChain.start();
  busy = await HostileNode.start(
    onChainOf(busyChain, ({ id }, response) => {
      reply(response, id, { error: { code: -32_005, message: 'limit exceeded' } });
    }),
  );
  silent = await HostileNode.start(onChainOf(silentChain, () => undefined));
  gating = await GatingApp.start({
    [`RPC_URL_${chain.chainId}`]: chain.rpcUrl,
    [`RPC_URL_${downChain}`]: 'http://127.0.0.1:9',
    [`RPC_URL_${busyChain}`]: busy.url,
    [`RPC_URL_${silentChain}`]: silent.url,
    RPC_TIMEOUT_MS: '2500',
  });
});

afterAll(async () => {
  await gating.stop();
  await busy.stop();
  await silent.stop();
  await chain.stop();
});

/** Answers eth_chainId and delegates all other methods to `behaviour`. */
function onChainOf(chainId: number, behaviour: NodeBehaviour): NodeBehaviour {
  return (request, response) => {
    if (request.method !== 'eth_chainId') return behaviour(request, response);
    reply(response, request.id, { result: `0x${chainId.toString(16)}` });
  };
}

const onChain = (fields: object) => ({ chainId: chain.chainId, ...fields });
const check = (rules: object[], headers = {}) => gating.check({ account: holder, rules }, headers);

describe('contracts with permanent failures', () => {
  const erc721 = (contractAddress: string, fields = {}) =>
    onChain({ type: 'ERC721', contractAddress, ...fields });

  async function contracts() {
    return {
      reverting: (await chain.deploy('Reverting', [0, 'no'])).address,
      short: (await chain.deploy('Garbage', ['0x01'])).address,
      address: (await chain.deploy('Garbage', [`0x${'ff'.repeat(32)}`])).address,
    };
  }

  it('contracts with permanent failures: are not granted, with an error that is not retryable', async () => {
    const { reverting, short, address } = await contracts();
    const rules = [
      { ...erc721(`0x${'12'.repeat(20)}`), roleId: 'no code' },
      { ...erc721(reverting), roleId: 'reverting' },
      { ...erc721(short), roleId: 'short' },
      { ...erc721(address, { tokenId: '1' }), roleId: 'not an address' },
      { ...onChain({ type: 'ERC20', contractAddress: address }), roleId: 'decimals' },
      { ...onChain({ type: 'NATIVE', minToken: '0' }), roleId: 'fine' },
    ];
    const { status, body } = await check(rules);
    expect(status).toBe(200);
    expect(body).toEqual({
      roles: rules.map(({ roleId }) => ({ id: roleId, granted: roleId === 'fine' })),
      errors: [
        'NoContractError',
        'ContractRevertedError',
        'MalformedAnswerError',
        'MalformedAnswerError',
        'MalformedAnswerError',
      ].map((name, rule) => ({
        roleId: rules[rule]?.roleId,
        rule,
        name,
        message: expect.any(String),
        retryable: false,
      })),
    });
  });

  it('contracts with permanent failures: do not matter to a role that another rule grants', async () => {
    const { reverting } = await contracts();
    const { status, body } = await check([erc721(reverting), onChain({ type: 'NATIVE', minToken: '0' })]);
    expect([status, body]).toEqual([200, { roles: [{ id: '001', granted: true }] }]);
  });

  it('contracts with permanent failures: have no owner where ownerOf reverts', async () => {
    const { reverting } = await contracts();
    const { status, body } = await check([erc721(reverting, { tokenId: '1-3' })]);
    expect([status, body]).toEqual([200, { roles: [{ id: '001', granted: false }] }]);
  });
});

describe('failing nodes', () => {
  const native = (chainId: number, roleId = '001') => ({ type: 'NATIVE', chainId, minToken: '0', roleId });

  it.each([
    ['down', downChain],
    ['busy', busyChain],
    ['silent', silentChain],
  ])('failing nodes that are %s: are never mistaken for an empty wallet', async (_, chainId) => {
    const fine = native(chain.chainId, 'fine');
    const { status, headers, body } = await check([native(chainId), fine]);
    expect(status).toBe(503);
    expect(headers.get('Retry-After')).toMatch(/^[1-9]\d*$/);
    const roles = [
      { id: '001', granted: false },
      { id: 'fine', granted: true },
    ];
    const errors = [
      { roleId: '001', rule: 0, name: 'NodeUnavailableError', message: expect.any(String), retryable: true },
    ];
    const details = { code: 'roles_unavailable', roles, errors };
    expect(body).toMatchObject({ error: { name: 'ServiceUnavailableError', statusCode: 503, details } });

    const gentle = await check([native(chainId), fine], lenient);
    expect([gentle.status, gentle.body]).toEqual([200, { roles, errors }]);
    expect(gentle.headers.get('Preference-Applied')).toBe('handling=lenient');
  });

  it('failing nodes: make a chain without nodes a 400 that names it', async () => {
    const { status, body } = await check([native(bareChain)]);
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toMatch(/rules\.0\.chainId.*has no node in this deployment/);
  });

  it('failing nodes: do not matter to a role that another rule grants', async () => {
    const { status, headers, body } = await check([native(downChain), native(chain.chainId)]);
    expect([status, body]).toEqual([200, { roles: [{ id: '001', granted: true }] }]);
    expect(headers.has('Preference-Applied')).toBe(false);
  });

  it('failing nodes: do not reveal their URLs', async () => {
    const { body } = await check([native(downChain)]);
    expect(JSON.stringify(body)).not.toContain('127.0.0.1');
  });
});

it('failing nodes: exports metrics of node calls', async () => {
  await check([onChain({ type: 'NATIVE' })]);
  const metrics = await (await fetch(`${gating.app.managementUrl}/metrics`)).text();
  expect(metrics).toMatch(
    /^chain_node_calls_total\{chain="31337",method="eth_call",outcome="answered".*\} [1-9]/m,
  );
  expect(metrics).toMatch(/^chain_batch_reads_count\{.*chain="31337".*\} [1-9]/m);
  expect(metrics).toMatch(/^token_gating_rules_total\{type="NATIVE",verdict="undetermined".*\} [1-9]/m);
});
