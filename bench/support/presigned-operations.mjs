import { setTimeout as sleep } from 'node:timers/promises';
import { entryPoint08Address, getUserOperationTypedData } from 'viem/account-abstraction';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { rpc } from '../../scripts/local/json-rpc.mjs';
import { root } from '../../scripts/local/project.mjs';
import { CHAIN_ID } from './account-kit-suite.mjs';

const VERSION = '0.8';
const FUNDS = `0x${(10n ** 21n).toString(16)}`;
const DEPLOYMENT_GAS = 400_000n;
const POLL_MS = 200;

const load = (path) => import(`${root}/dist/apps/account-kit/src/evm/${path}.js`);

/** Smart accounts whose owners sign here, and a sender of their bundles without any service between. */
export async function createPresigned({ rpcUrl, from, bundleSize }) {
  const { smartAccountAddress } = await load('accounts/account-address');
  const { encodeCreateAccount } = await load('accounts/encode-create-account');
  const { encodeExecute } = await load('operations/encode-execute');
  const { encodeHandleOps } = await load('operations/encode-handle-ops');
  const { packNonce } = await load('operations/user-operation');

  const build = ({ account, address }, { key = 0n, sequence, call, gas }) => {
    const deployment = { owner: account.address, salt: 0n, version: VERSION };
    const deploys = key === 0n && sequence === 0n;
    return {
      sender: address,
      nonce: packNonce({ key, sequence }),
      ...(deploys ? encodeCreateAccount(deployment) : {}),
      callData: encodeExecute(VERSION, [call]),
      ...gas,
      ...(deploys ? { verificationGasLimit: gas.verificationGasLimit + DEPLOYMENT_GAS } : {}),
    };
  };
  const signBuilt = async ({ account }, operation) => {
    const typed = getUserOperationTypedData({
      chainId: CHAIN_ID,
      entryPointAddress: entryPoint08Address,
      userOperation: { ...operation, signature: '0x' },
    });
    return { ...operation, signature: await account.signTypedData(typed) };
  };

  return {
    build,
    signBuilt,
    sign: (owner, content) => signBuilt(owner, build(owner, content)),
    async createOwner() {
      const account = privateKeyToAccount(generatePrivateKey());
      const address = smartAccountAddress({ owner: account.address, salt: 0n, version: VERSION });
      await rpc(rpcUrl, 'anvil_setBalance', [address, FUNDS]);
      return { account, address };
    },
    /** Sends them in bundles, one right after the other, and waits until all are mined. */
    async send(operations) {
      const transactions = [];
      for (let at = 0; at < operations.length; at += bundleSize) {
        const bundle = operations.slice(at, at + bundleSize);
        const gas = bundle.reduce((sum, one) => sum + gasOf(one), 100_000n);
        const data = encodeHandleOps(VERSION, bundle, from);
        transactions.push({ from, to: entryPoint08Address, data, gas: `0x${gas.toString(16)}` });
      }
      let waiting = [];
      for (const transaction of transactions) waiting.push(await sendTransaction(rpcUrl, transaction));
      while (waiting.length > 0) {
        await sleep(POLL_MS);
        waiting = (await Promise.all(waiting.map((sent) => follow(rpcUrl, sent)))).filter(Boolean);
      }
    },
  };
}

const sendTransaction = async (rpcUrl, transaction) => ({
  transaction,
  hash: await rpc(rpcUrl, 'eth_sendTransaction', [transaction]),
});

/** anvil forgets a transaction now and then that arrives while it mines. @returns what to follow; undefined once it is mined */
async function follow(rpcUrl, sent) {
  const found = await rpc(rpcUrl, 'eth_getTransactionByHash', [sent.hash]);
  if (found === null) return sendTransaction(rpcUrl, sent.transaction);
  return found.blockHash === null ? sent : undefined;
}

const gasOf = ({ callGasLimit, verificationGasLimit, preVerificationGas }) =>
  callGasLimit + verificationGasLimit + preVerificationGas;
