import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import type { Response } from 'express';
import { BodyMemory, MAX_BYTES, MAX_BYTES_PER_OWNER } from './body-memory.js';

const BODY_BYTES = MAX_BYTES_PER_OWNER / 16;

class StandInResponse extends EventEmitter {
  isDestroyed = false;

  destroy(): void {
    this.isDestroyed = true;
    this.emit('close');
  }
}

function open(memory: BodyMemory, owner: string) {
  const response = new StandInResponse();
  return { response, ...memory.open(owner, response as EventEmitter as Response) };
}

/** Owners with 16 bodies each, which fill the memory. */
function fill(memory: BodyMemory) {
  return Array.from({ length: MAX_BYTES / BODY_BYTES }, (_, at) => {
    const body = open(memory, `owner ${String(at % 8)}`);
    body.add(BODY_BYTES);
    return body;
  });
}

describe('BodyMemory', () => {
  it('BodyMemory: gives an owner at most an eighth', () => {
    const memory = new BodyMemory();
    const body = open(memory, 'a');
    body.add(MAX_BYTES_PER_OWNER);
    expect(() => {
      open(memory, 'a').add(1);
    }).toThrow(`larger than ${MAX_BYTES_PER_OWNER} bytes`);
    expect(() => {
      open(memory, 'b').add(1);
    }).not.toThrow();
    body.response.destroy();
    expect(() => {
      open(memory, 'a').add(MAX_BYTES_PER_OWNER);
    }).not.toThrow();
  });

  it('BodyMemory: takes a body from the owner with the most bytes when it is full', () => {
    const memory = new BodyMemory();
    const bodies = fill(memory);
    const victim = open(memory, 'victim');
    victim.add(1_000);
    const evicted = bodies.filter(({ signal }) => signal.aborted);
    expect(evicted).toHaveLength(1);
    expect(evicted[0]?.signal.reason).toMatchObject({
      statusCode: 429,
      details: { code: 'upload_limit_exceeded', limit: MAX_BYTES_PER_OWNER },
    });
    // The room of that body is free now.
    victim.add(BODY_BYTES - 1_000);
    expect(bodies.filter(({ signal }) => signal.aborted)).toHaveLength(1);
    expect(victim.signal.aborted).toBe(false);
  });

  it('BodyMemory: refuses an owner that would have more than all others', () => {
    const memory = new BodyMemory();
    const bodies = fill(memory);
    bodies[0]?.response.destroy();
    const first = open(memory, 'owner 1');
    expect(() => {
      first.add(1);
    }).toThrow('your share now');
    const late = open(memory, 'late');
    // Nine owners share 128 bodies: the ninth gets as many as the others, and no more.
    for (let n = 0; n < 14; n += 1) late.add(BODY_BYTES);
    expect(() => {
      late.add(BODY_BYTES);
    }).toThrow('your share now');
  });

  it('BodyMemory: disconnects clients whose requests are forwarded only when no body is being received', () => {
    const memory = new BodyMemory();
    const bodies = fill(memory);
    for (const { complete } of bodies.slice(1)) complete();
    open(memory, 'b').add(1);
    expect(bodies.map(({ response }) => response.isDestroyed)).not.toContain(true);
    expect(bodies[0]?.signal.aborted).toBe(true);
    open(memory, 'c').add(BODY_BYTES);
    expect(bodies.filter(({ response }) => response.isDestroyed)).toHaveLength(1);
  });
});
