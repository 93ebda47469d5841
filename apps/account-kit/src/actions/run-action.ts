import variant from '@jitl/quickjs-singlefile-mjs-release-sync';
import {
  DefaultIntrinsics,
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
} from 'quickjs-emscripten-core';
import { ACTION_LIMITS } from './action-limits.js';
import { type ActionLimit, type ActionOutcome, type ActionProgram, limitExceeded } from './action-outcome.js';

/**
 * Runs inside QuickJS before the action. The functions that it returns keep their own references, so that the action cannot
 * replace what they use.
 */
const ACTION_PRELUDE = `(function prepare(paramsText, limits, requestSignature) {
  'use strict';
  const { parse, stringify } = JSON;
  const { defineProperty, freeze, values } = Object;
  const { slice } = String.prototype;
  const sliceText = Function.prototype.call.bind(slice);
  const Bytes = Uint8Array;
  const hexDigits = [];
  for (let byte = 0; byte < 256; byte += 1) hexDigits[byte] = byte.toString(16).padStart(2, '0');

  const freezeAll = (value) => {
    if (typeof value !== 'object' || value === null) return value;
    for (const inner of values(value)) freezeAll(inner);
    return freeze(value);
  };

  const toHex = (message) => {
    const bytes = new Bytes(message);
    let hex = '';
    for (let index = 0; index < bytes.length; index += 1) hex += hexDigits[bytes[index]];
    return hex;
  };

  const sign = (message) => {
    const isText = typeof message === 'string';
    if (!isText && !(message instanceof Bytes)) throw new TypeError('sign takes text or a Uint8Array');
    if (message.length > limits.signedBytes) throw new RangeError('sign takes at most ' + limits.signedBytes + ' bytes');
    return requestSignature(isText, isText ? message : toHex(message));
  };

  // A getter, because QuickJS 2025-09-13 lets defineProperty change the value of a global that is neither writable nor configurable.
  const define = (name, value) => defineProperty(globalThis, name, { get: () => value, enumerable: true });
  define('params', freezeAll(parse(paramsText)));
  define('sign', freeze(sign));
  delete Math.random;

  const finish = async (pending) => {
    const exports = await pending;
    if (!('default' in exports)) throw new TypeError('the action has no default export');
    return stringify(await exports.default) ?? 'null';
  };
  const describe = (error) => {
    const text = error instanceof Error ? error.name + ': ' + error.message : String(error);
    return sliceText(text, 0, limits.messageLength);
  };
  return { finish, describe };
})`;

/** Signs bytes for the action, in hex. Never rejects: a run whose signature fails is ended from outside. */
type Sign = (bytes: Uint8Array) => Promise<string>;

interface WasmMemory {
  readonly buffer: { readonly byteLength: number };
}

// WebAssembly.Memory is declared neither by @types/node 20 nor by lib.es2023.
declare const WebAssembly: {
  readonly Memory: new (pages: { readonly initial: number; readonly maximum: number }) => WasmMemory;
};

const PAGE_BYTES = 65_536;
/** What the build of QuickJS asks for. */
const INITIAL_MEMORY_PAGES = 256;

interface ActionSandbox {
  readonly context: QuickJSContext;
  readonly memory: WasmMemory;
}

/**
 * Creates a context without network, clock and random numbers. Its memory is bounded by WebAssembly, because this build of QuickJS
 * counts 8 bytes for each allocation of any size against its own limit.
 */
export async function createActionSandbox(): Promise<ActionSandbox> {
  const memory = new WebAssembly.Memory({
    initial: INITIAL_MEMORY_PAGES,
    maximum: ACTION_LIMITS.memoryBytes / PAGE_BYTES,
  });
  const quickJs = await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmMemory: memory }));
  const runtime = quickJs.newRuntime({ maxStackSizeBytes: ACTION_LIMITS.stackBytes });
  return { context: runtime.newContext({ intrinsics: { ...DefaultIntrinsics, Date: false } }), memory };
}

/** Runs one action, once for each sandbox. The sandbox is not usable afterwards. */
export class ActionRun {
  private readonly context: QuickJSContext;
  private readonly runtime: QuickJSRuntime;
  private deadline: number;
  private signatures = 0;
  private pendingSignatures = 0;
  private describe: QuickJSHandle | undefined;
  private reserve: QuickJSHandle | undefined;
  private settle: (outcome: ActionOutcome) => void = () => undefined;
  private result: QuickJSHandle | undefined;

  constructor(
    private readonly sandbox: ActionSandbox,
    private readonly sign: Sign,
    timeoutMs: number,
  ) {
    this.deadline = performance.now() + timeoutMs;
    this.context = sandbox.context;
    this.runtime = sandbox.context.runtime;
    this.runtime.setInterruptHandler(() => this.isLate());
  }

  /** The source is a module: its default export is the result, and it may `await` at its top level. */
  run(program: ActionProgram): Promise<ActionOutcome> {
    return new Promise((resolve) => {
      this.settle = resolve;
      this.attempt(() => {
        this.start(program);
        this.proceed();
      });
    });
  }

  private start({ source, params }: ActionProgram): void {
    const { context } = this;
    const prepare = context.unwrapResult(context.evalCode(ACTION_PRELUDE, 'prelude.js'));
    const tools = context.unwrapResult(
      context.callFunction(prepare, context.undefined, [
        context.newString(params),
        this.createLimits(),
        context.newFunction('requestSignature', (isText, message) => this.requestSignature(isText, message)),
      ]),
    );
    this.describe = context.getProp(tools, 'describe');
    this.reserve = context.newArrayBuffer(new ArrayBuffer(RESERVE_BYTES));
    const evaluated = context.evalCode(source, 'action.js', { type: 'module', strict: true });
    if (evaluated.error) {
      this.fail(evaluated.error);
      return;
    }
    const finish = context.getProp(tools, 'finish');
    const finishing = context.callFunction(finish, context.undefined, evaluated.value);
    this.result = context.unwrapResult(finishing);
  }

  /** Runs what is due, and ends when nothing more will come. */
  private proceed(): void {
    const { context, result } = this;
    if (!result) return;
    const executed = this.runtime.executePendingJobs();
    if (executed.error) {
      this.fail(executed.error);
      return;
    }
    const state = context.getPromiseState(result);
    if (state.type === 'fulfilled') this.settle(toFinished(context.getString(state.value)));
    else if (state.type === 'rejected') this.fail(state.error);
    else if (this.isLate()) this.settle(limitExceeded('time'));
    else if (this.pendingSignatures === 0)
      this.settle({ outcome: 'failed', message: 'it waits for a promise that nothing settles' });
  }

  private requestSignature(isText: QuickJSHandle, message: QuickJSHandle): QuickJSHandle {
    const { context } = this;
    this.signatures += 1;
    if (this.signatures > ACTION_LIMITS.signatures) this.stop('signatures');
    const encoding = context.dump(isText) === true ? 'utf8' : 'hex';
    const bytes = Buffer.from(context.getString(message), encoding);
    const deferred = context.newPromise();
    this.pendingSignatures += 1;
    void this.sign(bytes).then((signature) => {
      this.pendingSignatures -= 1;
      this.attempt(() => {
        deferred.resolve(context.newString(signature));
        this.proceed();
      });
    });
    return deferred.handle;
  }

  /** Interrupts the action at its next step. */
  private stop(limit: ActionLimit): never {
    this.settle(limitExceeded(limit));
    this.deadline = 0;
    throw new Error('stopped');
  }

  private createLimits(): QuickJSHandle {
    const { context } = this;
    const limits = context.newObject();
    for (const name of ['signedBytes', 'messageLength'] as const)
      context.setProp(limits, name, context.newNumber(ACTION_LIMITS[name]));
    return limits;
  }

  private isLate(): boolean {
    return performance.now() > this.deadline;
  }

  private fail(error: QuickJSHandle): void {
    const message = this.isLate() ? '' : this.toMessage(error);
    if (this.isLate()) this.settle(limitExceeded('time'));
    else if (this.isOutOfMemory(message)) this.settle(limitExceeded('memory'));
    else if (message === 'InternalError: stack overflow') this.settle(limitExceeded('stack'));
    else this.settle({ outcome: 'failed', message });
  }

  /** QuickJS throws null when there is no memory left for an error. Memory grows by 5 % at least, or not at all. */
  private isOutOfMemory(message: string): boolean {
    const isFull = this.sandbox.memory.buffer.byteLength > 0.9 * ACTION_LIMITS.memoryBytes;
    return message === 'InternalError: out of memory' || (isFull && message === 'null');
  }

  private toMessage(error: QuickJSHandle): string {
    const { context, describe } = this;
    if (!describe) return UNREADABLE;
    // What the action holds may leave no room for the message.
    this.reserve?.dispose();
    const described = context.callFunction(describe, context.undefined, error);
    return described.error ? UNREADABLE : context.getString(described.value);
  }

  /** QuickJS checks its own stack; the parser and the WebAssembly runtime exhaust that of the thread first. */
  private attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (error instanceof RangeError) this.settle(limitExceeded('stack'));
      else if (isWasmTrap(error)) this.settle({ outcome: 'failed', message: UNREADABLE });
      else throw error;
    }
  }
}

const RESERVE_BYTES = 256 * 1_024;
const UNREADABLE = 'an error that cannot be shown';

const isWasmTrap = (error: unknown): boolean => error instanceof Error && error.name === 'RuntimeError';

function toFinished(json: string): ActionOutcome {
  if (Buffer.byteLength(json) > ACTION_LIMITS.resultBytes) return limitExceeded('result');
  return { outcome: 'finished', json };
}
