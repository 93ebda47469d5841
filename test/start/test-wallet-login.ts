/** Signs in as the login page's script does with the test wallet. @returns the portal's first page, as that account sees it */
export async function portalAs(gatewayUrl: string, name: string): Promise<string> {
  let cookie = '';
  const ask = async (path: string, body?: object): Promise<Response> => {
    const response = await fetch(gatewayUrl + path, {
      headers: { cookie, origin: gatewayUrl, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      redirect: 'manual',
    });
    cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie;
    if (response.status !== 200)
      throw new Error(`${path}: ${String(response.status)} ${await response.text()}`);
    return response;
  };
  const login = await (await ask('/login')).text();
  const csrf = /data-csrf="([^"]+)"/.exec(login)?.[1];
  const post = async (path: string, question: object) =>
    (await (await ask(path, { ...question, csrf })).json()) as Record<string, string>;
  const accounts = (await post('/login/test-wallet/accounts', {})) as unknown as {
    accounts: { name: string; chainId: number; address: string }[];
  };
  const account = accounts.accounts.find((one) => one.name === name);
  if (!account) throw new Error(`The test wallet has no ${name}`);
  const accountId = `eip155:${String(account.chainId)}:${account.address}`;
  const { requestId, message = '' } = await post('/login/challenges', { accountId });
  const hex = `0x${Buffer.from(message).toString('hex')}`;
  const { signature } = await post('/login/test-wallet/signatures', {
    address: account.address,
    message: hex,
  });
  await post('/login/sessions', { requestId, accountId, signatureType: 'eip191', signature });
  return (await ask('/portal')).text();
}
