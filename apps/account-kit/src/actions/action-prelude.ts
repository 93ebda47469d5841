/**
 * Runs inside QuickJS before the action. The functions that it returns keep their own references, so that the action cannot
 * replace what they use.
 */
export const ACTION_PRELUDE = `(function prepare(paramsText, limits, requestSignature) {
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
