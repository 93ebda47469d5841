import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { withTimeout } from '@app/common';
import {
  collectMessages,
  type SignerCall,
  type SignerOutcome,
  signerReplies,
  type SignerRequest,
} from './signer-messages.js';
const TIMEOUT_MS = 5_000;
const STOP_TIMEOUT_MS = 5_000;
/** Calls that wait. More are refused at once, so that a slow database does not fill the memory. */
const MAX_WAITING = 1_000;

/** Secrets that only the child needs, and where it finds them. */
export const CHILD_VARIABLES: readonly string[] = [
  'ACCOUNT_KEY_SECRET',
  'ACCOUNT_KEY_SECRET_PREVIOUS',
  'EXECUTOR_KEYS',
  'PAYMASTER_SIGNER_KEY',
  'SOLANA_SPONSOR_KEY_SOL',
  'SOLANA_SPONSOR_KEY_SOL_DEVNET',
  'VAULT_TOKEN',
  'VAULT_TOKEN_FILE',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  'AWS_ROLE_ARN',
  'AWS_ROLE_SESSION_NAME',
  'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
  'AWS_CONTAINER_CREDENTIALS_FULL_URI',
  'AWS_CONTAINER_AUTHORIZATION_TOKEN',
  'AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE',
];

/** What only the parent needs. Node's options may load code, or write files with memory and environment, as `execArgv` of the parent may. */
const PARENT_VARIABLES = ['INTERNAL_SIGNING_KEY', 'INTERNAL_SIGNING_KEY_FILE', 'NODE_OPTIONS'];

/** Node opens its inspector on SIGUSR1. Releases without the option are kept from it by a handler of the child. */
const CHILD_OPTIONS = ['--disable-sigusr1'].filter((option) =>
  process.allowedNodeEnvironmentFlags.has(option),
);

const without = (names: readonly string[]): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !names.includes(name)));

const toUnavailable = (reason: string): SignerOutcome => ({ status: 'unavailable', reason });

/** The child process that holds the keys, and the calls that wait for it. */
export class SignerProcess {
  private readonly child: ChildProcess;
  private readonly waiting = new Map<number, (outcome: SignerOutcome) => void>();
  private readonly send = collectMessages<SignerCall>((calls) => {
    // Without a callback a failure is an 'error' event: a signer that has just died would end this process at once.
    this.child.send(calls, (error) => {
      if (error) for (const { callId } of calls) this.settle(callId, toUnavailable(error.message));
    });
  });
  private lastCallId = 0;
  private isStopping = false;
  private hasEnded = false;

  /** @param onUnexpectedExit called once if the process ends by itself */
  constructor(onUnexpectedExit: (reason: string) => void) {
    this.child = fork(new URL('./signer.worker.js', import.meta.url), {
      execArgv: CHILD_OPTIONS,
      env: without(PARENT_VARIABLES),
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    for (const name of CHILD_VARIABLES)
      for (const variable of [name, `${name}_FILE`]) Reflect.deleteProperty(process.env, variable);
    this.child.on('message', (message) => {
      for (const { callId, outcome } of signerReplies.parse(message)) this.settle(callId, outcome);
    });
    const end = (reason: string): void => {
      for (const callId of [...this.waiting.keys()]) this.settle(callId, toUnavailable(reason));
      if (!this.isStopping && !this.hasEnded) onUnexpectedExit(reason);
      this.hasEnded = true;
    };
    this.child.once('exit', (code, signal) => {
      end(`the signer process ended (${signal ?? String(code)})`);
    });
    // The process could not be started, or its channel broke.
    this.child.on('error', ({ message }) => {
      end(`the signer process failed (${message})`);
    });
  }

  call(request: SignerRequest): Promise<SignerOutcome> {
    if (!this.child.connected || this.waiting.size >= MAX_WAITING)
      return Promise.resolve(toUnavailable('the signer process takes no calls'));
    const callId = ++this.lastCallId;
    const outcome = new Promise<SignerOutcome>((resolve) => {
      this.waiting.set(callId, resolve);
    });
    this.send({ callId, request });
    return withTimeout(TIMEOUT_MS, outcome).catch(() => {
      this.waiting.delete(callId);
      return toUnavailable('the signer process did not answer in time');
    });
  }

  /** Ends the process after its last reply. */
  async stop(): Promise<void> {
    this.isStopping = true;
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exit = once(this.child, 'exit');
    if (this.child.connected) this.child.disconnect();
    await withTimeout(STOP_TIMEOUT_MS, exit).catch(() => this.child.kill('SIGKILL'));
  }

  private settle(callId: number, outcome: SignerOutcome): void {
    this.waiting.get(callId)?.(outcome);
    this.waiting.delete(callId);
  }
}
