import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { chainRegistry, ContractSignatures, type ContractSignaturesOptions } from '@app/chain/evm';
import { type Address, encodeFunctionData, hashMessage, type Hex, serializeErc6492Signature } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { rpcError } from '../support/hostile-node-fixture.js';
import { forwardTo, HostileNode, type NodeBehaviour, onCalls, reply } from '../support/hostile-node.js';
import { type DeployedContract, LocalChain } from '../support/local-chain.js';

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const SALT: Hex = `0x${'07'.repeat(32)}`;
const message = 'gatehouse.example wants you to sign in …';
const magic = '1626ba7e';

const owner = privateKeyToAccount(generatePrivateKey());
const stranger = privateKeyToAccount(generatePrivateKey());

let chain: LocalChain;
let signatures: ContractSignatures;
let factory: DeployedContract;
let deployed: Address;
let signed: Hex;
let signedByStranger: Hex;
const opened: { close: () => Promise<void> }[] = [];
const nodes: HostileNode[] = [];

function asking(
  rpcUrls: readonly string[],
  options: Partial<ContractSignaturesOptions> = {},
  quorum?: number,
): ContractSignatures {
  const made = new ContractSignatures({
    chains: chainRegistry({
      custom: [],
      rpcUrls: new Map([[chain.chainId, rpcUrls]]),
      quorums: new Map(quorum === undefined ? [] : [[chain.chainId, quorum]]),
      publicRpc: false,
    }),
    ...options,
  });
  opened.push(made);
  return made;
}

async function node(behaviour: NodeBehaviour): Promise<string> {
  const started = await HostileNode.start(behaviour);
  nodes.push(started);
  return started.url;
}

const isSigned = (account: string, signature: string, by = signatures): Promise<boolean> =>
  by.isSignedBy({ chainId: chain.chainId, account, message, signature });

beforeAll(async () => {
  chain = await LocalChain.start();
  signatures = asking([chain.rpcUrl]);
  opened.pop();
  factory = await chain.deploy('WalletFactory');
  deployed = (await chain.deploy('SignerWallet', [owner.address])).address;
  signed = await owner.signMessage({ message });
  signedByStranger = await stranger.signMessage({ message });
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
  await Promise.all(nodes.splice(0).map((each) => each.stop()));
});

afterAll(async () => {
  await signatures.close();
  await chain.stop();
});

describe('a contract account (ERC-1271)', () => {
  it('confirms what its owner signed, however its address is spelled', async () => {
    expect(await isSigned(deployed, signed)).toBe(true);
    expect(await isSigned(deployed.toLowerCase(), signed)).toBe(true);
  });

  it.each<[string, () => string]>([
    ['somebody else’s signature', () => signedByStranger],
    ['a signature of 64 bytes', () => signed.slice(0, -2)],
    ['nothing', () => '0x'],
    ['no hex', () => '0xzz'],
    ['half a byte', () => `${signed}0`],
  ])('does not confirm %s', async (_, signature) => {
    expect(await isSigned(deployed, signature())).toBe(false);
  });

  it('is asked about 8 KiB at most', async () => {
    const { address } = await chain.deploy('Garbage', [`0x${magic.padEnd(64, '0')}`]);
    expect(await isSigned(address, `0x${'ab'.repeat(8_192)}`)).toBe(true);
    expect(await isSigned(address, `0x${'ab'.repeat(8_193)}`)).toBe(false);
  });

  it('does not confirm a signature over another text', async () => {
    const other = { chainId: chain.chainId, account: deployed, message: `${message} `, signature: signed };
    expect(await signatures.isSignedBy(other)).toBe(false);
  });

  it('may sign by an empty signature what it approved on its chain', async () => {
    const wallet = await chain.deploy('ApprovingWallet');
    expect(await isSigned(wallet.address, '0x')).toBe(false);
    await chain.send(wallet, 'approve', [hashMessage(message)]);
    expect(await isSigned(wallet.address, '0x')).toBe(true);
    expect(await isSigned(wallet.address, '0x00')).toBe(false);
  });
});

describe('a plain key', () => {
  it('is no contract, not even with its own signature or the twin of it', async () => {
    const twin = ORDER - BigInt(`0x${signed.slice(66, 130)}`);
    const parity = signed.endsWith('1b') ? '1c' : '1b';
    const highS: Hex = `${signed.slice(0, 66) as Hex}${twin.toString(16).padStart(64, '0')}${parity}`;
    expect(await isSigned(owner.address, signed)).toBe(false);
    expect(await isSigned(owner.address, highS)).toBe(false);
    const nothing = encodeFunctionData({
      ...factory,
      functionName: 'addressOf',
      args: [owner.address, SALT],
    });
    for (const signature of [signed, highS]) {
      const wrapped = serializeErc6492Signature({ address: factory.address, data: nothing, signature });
      expect(await isSigned(owner.address, wrapped)).toBe(false);
    }
  });
});

describe('a contract that is no honest wallet', () => {
  const word = (hex: string): string => hex.padStart(64, '0');

  it.each([
    ['answers true', word('1')],
    ['answers the magic value on the wrong side', word(magic)],
    ['answers the magic value and something after it', magic.padEnd(64, '1')],
    ['answers only four bytes', magic],
    ['answers 31 bytes', magic.padEnd(62, '0')],
    ['answers all bits', 'f'.repeat(64)],
    ['answers zeros', '0'.repeat(64)],
    ['answers nothing', ''],
    ['answers its refusal', 'ffffffff'.padEnd(64, '0')],
    ['answers the magic value in the second word', '0'.repeat(64) + magic.padEnd(64, '0')],
  ])('that %s does not confirm', async (_, bytes) => {
    const { address } = await chain.deploy('Garbage', [`0x${bytes}`]);
    expect(await isSigned(address, signed)).toBe(false);
    expect(await isSigned(address, wrapping(signed, address))).toBe(false);
  });

  it.each<[string, string, unknown[]]>([
    ['reverts with a reason', 'Reverting', [0, 'out of gas: response too large, rate limit']],
    ['reverts without one', 'Reverting', [1, '']],
    ['runs into an invalid instruction', 'Reverting', [2, '']],
    ['burns all gas', 'GasBurner', []],
    ['answers 3 MB', 'Flooder', [3_000_000n, false]],
    ['reverts with 3 MB', 'Flooder', [3_000_000n, true]],
  ])('that %s does not confirm', async (_, contract, args) => {
    const { address } = await chain.deploy(contract, args);
    expect(await isSigned(address, signed)).toBe(false);
    expect(await isSigned(address, wrapping(signed, address))).toBe(false);
  });

  it('that takes the node longer than we wait does not confirm, and the node is not blamed', async () => {
    const looper = '0x00000000000000000000000000000000000000bb';
    const forward = forwardTo(chain.rpcUrl);
    const url = await node((request, response) =>
      JSON.stringify(request.params).includes(`"to":"${looper}"`) ? undefined : forward(request, response),
    );
    const asked = asking([url], { requestTimeoutMs: 400 });
    for (let i = 0; i < 6; i += 1) expect(await isSigned(looper, signed, asked)).toBe(false);
    expect(await isSigned(deployed, signed, asked)).toBe(true);
  });

  it('is asked once more when the question got lost', async () => {
    const forward = forwardTo(chain.rpcUrl);
    let lost = false;
    const url = await node((request, response) => {
      if (lost || !JSON.stringify(request.params).includes(`"to":"${deployed.toLowerCase()}"`))
        return forward(request, response);
      lost = true;
    });
    expect(await isSigned(deployed, signed, asking([url], { requestTimeoutMs: 1_000 }))).toBe(true);
    expect(lost).toBe(true);
  });

  it('is none where nothing is deployed', async () => {
    expect(await isSigned('0x00000000000000000000000000000000000000cc', signed)).toBe(false);
  });

  const wrapping = (signature: Hex, address: Address): Hex =>
    serializeErc6492Signature({ address, data: '0x', signature });
});

describe('an account that is not deployed yet (ERC-6492)', () => {
  const create = (salt: Hex = SALT): Hex =>
    encodeFunctionData({ ...factory, functionName: 'create', args: [owner.address, salt] });
  const addressOf = async (salt: Hex = SALT): Promise<Address> =>
    (await chain.client.readContract({
      ...factory,
      functionName: 'addressOf',
      args: [owner.address, salt],
    })) as Address;
  const wrapped = (signature: Hex, data: Hex = create(), address: Address = factory.address): Hex =>
    serializeErc6492Signature({ address, data, signature });

  it('confirms what its owner signed, and is not deployed by it', async () => {
    const account = await addressOf();
    expect(await isSigned(account, wrapped(signed))).toBe(true);
    expect(await chain.client.getCode({ address: account })).toBeUndefined();
  });

  it('confirms it still when it is deployed, wrapped or not', async () => {
    const salt: Hex = `0x${'08'.repeat(32)}`;
    const account = await addressOf(salt);
    await chain.send(factory, 'create', [owner.address, salt]);
    expect(await isSigned(account, wrapped(signed, create(salt)))).toBe(true);
    expect(await isSigned(account, signed)).toBe(true);
  });

  it.each<[string, () => Hex]>([
    ['its owner’s signature without the factory', () => signed],
    ['somebody else’s signature', () => wrapped(signedByStranger)],
    ['a factory that makes another account', () => wrapped(signed, create(`0x${'09'.repeat(32)}`))],
    ['a factory that refuses', () => wrapped(signed, '0xdeadbeef')],
    ['a factory that is none', () => wrapped(signed, create(), stranger.address)],
    ['a wallet for a factory', () => wrapped(signed, '0x', deployed)],
    ['the mark alone', () => `0x${'6492'.repeat(16)}`],
    ['garbage before the mark', () => `0x${'ab'.repeat(100)}${'6492'.repeat(16)}`],
    ['lengths beyond its end before the mark', () => `0x${'ff'.repeat(96)}${'6492'.repeat(16)}`],
    ['a wrapping in a wrapping', () => wrapped(wrapped(signed))],
  ])('does not confirm %s', async (_, signature) => {
    expect(await isSigned(await addressOf(), signature())).toBe(false);
  });

  it('is not made true by a factory that says so itself', async () => {
    const yes = await chain.deploy('Garbage', [`0x${magic.padEnd(64, '0')}`]);
    expect(await isSigned(await addressOf(), wrapped(signedByStranger, '0x', yes.address))).toBe(false);
  });
});

describe('nodes', () => {
  const down = { name: 'NodesUnavailable', code: 'unavailable' };

  it('that know no such chain leave it open', async () => {
    const question = { chainId: 4_242_424_242, account: deployed, message, signature: signed };
    await expect(signatures.isSignedBy(question)).rejects.toMatchObject({
      name: 'NodesUnavailable',
      code: 'unknown_chain',
    });
  });

  it.each<[string, NodeBehaviour]>([
    ['refuse', (_, response) => void response.writeHead(500).end()],
    ['answer an unknown error', rpcError(-32_000, 'header not found')],
    ['hang up', (_, response) => void response.destroy()],
    [
      'run no code',
      ({ id }, response) => {
        reply(response, id, { result: 'nothing' });
      },
    ],
  ])('that %s leave it open, and are passed over beside a good one', async (_, fault) => {
    const bad = await node(onCalls(fault));
    for (const signature of [signed, wrappedForNode()]) {
      await expect(isSigned(deployed, signature, asking([bad]))).rejects.toMatchObject(down);
      expect(await isSigned(deployed, signature, asking([bad, chain.rpcUrl]))).toBe(true);
    }
  });

  it.each(['0x', '0x02', `0x${'0'.repeat(63)}1`])(
    'that answer %s to init code are not believed',
    async (result) => {
      const bad = await node(
        onCalls(({ id }, response) => {
          reply(response, id, { result });
        }),
      );
      await expect(isSigned(deployed, wrappedForNode(), asking([bad]))).rejects.toMatchObject(down);
    },
  );

  it('of another chain are not asked', async () => {
    const wrong = await node(({ id, method }, response) => {
      reply(response, id, { result: method === 'eth_chainId' ? '0x1' : `0x${magic.padEnd(64, '0')}` });
    });
    await expect(isSigned(deployed, signed, asking([wrong]))).rejects.toMatchObject(down);
  });

  it('that are none, or silent, leave it open', async () => {
    await expect(isSigned(deployed, signed, asking([]))).rejects.toMatchObject(down);
    const silent = await node(() => undefined);
    const patient = asking([silent], { requestTimeoutMs: 200 });
    await expect(isSigned(deployed, signed, patient)).rejects.toMatchObject(down);
    const hasty = asking([silent], { budgetMs: 100 });
    await expect(isSigned(deployed, signed, hasty)).rejects.toMatchObject({ code: 'timeout' });
  });

  it('have to agree where a quorum is asked for', async () => {
    const liar = await node((request, response) => {
      if (request.method !== 'eth_call') return forwardTo(chain.rpcUrl)(request, response);
      reply(response, request.id, { result: `0x${magic.padEnd(64, '0')}` });
    });
    const two = asking([liar, chain.rpcUrl], {}, 2);
    await expect(isSigned(deployed, signedByStranger, two)).rejects.toMatchObject(down);
    const honest = await node(forwardTo(chain.rpcUrl));
    const three = asking([liar, chain.rpcUrl, honest], {}, 2);
    expect(await isSigned(deployed, signedByStranger, three)).toBe(false);
    expect(await isSigned(deployed, signed, three)).toBe(true);
    expect(await isSigned(deployed, wrappedForNode(), three)).toBe(true);
  });

  it('do not stand with their URL in what is thrown', async () => {
    const bad = await node((_, response) => void response.writeHead(500).end('secret'));
    const failure: unknown = await isSigned(deployed, signed, asking([`${bad}/v2/secret?key=secret`])).catch(
      (error: unknown) => error,
    );
    expect(String(failure)).not.toMatch(/secret|127\.0\.0\.1/);
  });

  const wrappedForNode = (): Hex =>
    serializeErc6492Signature({ address: factory.address, data: '0x', signature: signed });
});
