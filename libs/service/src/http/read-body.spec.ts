import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isUtf8Body, takeArrivedBody } from './read-body.js';

const isJson = (contentType: string) => isUtf8Body(contentType, 'application/json');

describe('isUtf8Body', () => {
  it.each([
    'application/json',
    'APPLICATION/JSON ; Charset="UTF-8"',
    'application/json;charset=utf8',
    'application/json; charset=us-ascii',
    'application/json;',
    'application/json; charset=UTF-8; v=1',
    'application/json;odata=verbose',
  ])('isUtf8Body: accepts %s', (contentType) => {
    expect(isJson(contentType)).toBe(true);
  });

  it.each([
    '',
    'text/plain',
    'text/plain; application/json',
    'application/jsonp',
    'application/vnd.api+json',
    'application/json; charset=utf-16',
    'application/json;charset="iso-8859-1"',
    'application/json; charset=utf-8; charset=utf-16',
    'application/json; charset=',
  ])('isUtf8Body: refuses "%s"', (contentType) => {
    expect(isJson(contentType)).toBe(false);
  });

  it('isUtf8Body: another parameter changes nothing', () => {
    const token = fc.stringMatching(/^[a-z][\w-]{0,8}$/).filter((name) => name !== 'charset');
    const base = fc.constantFrom('application/json', 'application/json;charset=utf-16', 'text/plain');
    fc.assert(
      fc.property(base, token, fc.stringMatching(/^[\w/.-]{0,12}$/), (contentType, name, value) => {
        expect(isJson(`${contentType}; ${name}=${value}`)).toBe(isJson(contentType));
      }),
    );
  });
});

describe('takeArrivedBody', () => {
  function arrived(...chunks: string[]): IncomingMessage {
    const message = new IncomingMessage(new Socket());
    for (const chunk of chunks) message.push(Buffer.from(chunk));
    message.push(null);
    message.complete = true;
    return message;
  }

  it('takeArrivedBody: returns all chunks, and nothing of a body without bytes', () => {
    expect(takeArrivedBody(arrived('ab', 'cd', 'e'), 5).toString()).toBe('abcde');
    expect(takeArrivedBody(arrived(), 5)).toHaveLength(0);
  });

  it('takeArrivedBody: rejects more bytes than the limit', () => {
    expect(() => takeArrivedBody(arrived('ab', 'cd', 'ef'), 5)).toThrow('larger than 5 bytes');
  });

  it('takeArrivedBody: rejects the body of a client that is gone', () => {
    const message = arrived('ab');
    message.destroy();
    expect(() => takeArrivedBody(message, 5)).toThrow('The client disconnected');
  });
});
