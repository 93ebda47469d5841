import { setTimeout as sleep } from 'node:timers/promises';
import { generatePrivateKey } from 'viem/accounts';
import type { CallbackLog } from '../support/callback-log.js';
import type { Deployment, Response } from './deployment.js';

/** Users of the chat platform whose accounts pay. */
export const PAYERS = ['1', '2', '3', '4', '5', '6'];
const CHECK = '/access-control/check-roles';
const PAUSE_MS = 5;
/** Checks with callbacks and operations write rows and transactions, so they are a small part of the load. */
const WRITE_PAUSE_MS = 250;

interface Outcome {
  readonly what: string;
  readonly status: number;
  readonly problem?: string;
}

/** A kind of request, sent by so many callers at a time. */
interface Kind {
  readonly what: string;
  readonly callers: number;
  readonly pauseMs: number;
  readonly send: (caller: number) => Promise<Response<unknown>>;
}

/** Requests to all apps of a deployment until it is stopped. */
export class DeploymentLoad {
  readonly outcomes: Outcome[] = [];
  /** Accepted checks with a callback. */
  readonly checks: string[] = [];
  /** Hashes of accepted user operations. */
  readonly operations: string[] = [];
  private isOver = false;
  private callers: Promise<void>[] = [];

  constructor(private readonly deployment: Deployment) {}

  /** Reads of every app, most of them through the gateway's whole pipeline. */
  async startReads(): Promise<void> {
    const { deployment } = this;
    const asUser = { headers: { Authorization: await deployment.signIn(generatePrivateKey()) } };
    const { body } = await deployment.request<{ id: string }>('/communities', {
      ...asUser,
      body: { name: 'Apes' },
    });
    const asBot = { headers: { 'X-BOT-TOKEN': deployment.platforms.botToken(PAYERS[0] ?? '') } };
    const read = (path: string, callers: number, options = {}): void => {
      this.start({ what: path, callers, pauseMs: PAUSE_MS, send: () => deployment.request(path, options) });
    };
    read(CHECK, 8, { body: deployment.check });
    read('/account/me', 2, asUser);
    read('/accountkit/v1/chatbot/accounts', 2, asBot);
    read(`/analytics/${body.id}/user-interactions?range=7d`, 2, asUser);
    read('/.well-known/jwks.json', 2);
  }

  startChecks(log: CallbackLog): void {
    const send = async (): Promise<Response<unknown>> => {
      const answer = await this.deployment.requestCheck(log);
      if (answer.status === 200) this.checks.push(answer.body.requestId);
      return answer;
    };
    this.start({ what: 'a check with a callback', callers: 2, pauseMs: WRITE_PAUSE_MS, send });
  }

  startOperations(): void {
    const send = async (caller: number): Promise<Response<unknown>> => {
      const answer = await this.deployment.pay(PAYERS[caller] ?? '');
      if (answer.status === 200) this.operations.push(answer.body.userOperationHash);
      return answer;
    };
    const pauseMs = WRITE_PAUSE_MS * PAYERS.length;
    this.start({ what: 'a user operation', callers: PAYERS.length, pauseMs, send });
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.callers);
  }

  private start(kind: Kind): void {
    this.callers.push(...Array.from({ length: kind.callers }, (_, caller) => this.call(kind, caller)));
  }

  private async call({ what, pauseMs, send }: Kind, caller: number): Promise<void> {
    while (!this.isOver) {
      try {
        const { status, body } = await send(caller);
        this.outcomes.push({ what, status, ...(status === 200 ? {} : { problem: JSON.stringify(body) }) });
      } catch (error) {
        const { message, cause } = error as Error;
        this.outcomes.push({ what, status: 0, problem: `${message} ${String(cause)}` });
      }
      await sleep(pauseMs);
    }
  }
}
