/**
 * @param send gets the messages of each turn of the event loop together
 * @returns a function that has a message sent
 */
export function collectMessages<T>(send: (messages: T[]) => void): (message: T) => void {
  let collected: T[] = [];
  return (message) => {
    if (collected.push(message) > 1) return;
    setImmediate(() => {
      const messages = collected;
      collected = [];
      send(messages);
    });
  };
}
