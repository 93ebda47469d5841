import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Client } from '../support/create-client.js';
import { describeInBrowser } from '../support/needs.js';
import { leaseWholePages, OPERATOR_KEY, type PagesUnderTest, type Visitor } from './pages-under-test.js';

describeInBrowser('policies and freezes in the portal of operators', () => {
  let pages: PagesUnderTest;
  let operator: Visitor;
  let client: Client;

  beforeAll(async () => {
    pages = await leaseWholePages();
    operator = await pages.member({ privateKey: OPERATOR_KEY });
    client = await pages.suite.createClient({ scopes: ['accountkit'] });
  });

  afterAll(async () => {
    await pages.stop();
  });

  const actionsOn = async (target: string): Promise<string[]> => {
    await operator.page.goto(`/portal/audit/${target}`);
    return operator.page.locator('.audit-action').allInnerTexts();
  };

  it('policies and freezes in the portal of operators: sets and removes the policy of a client application', async () => {
    const { page, complaints } = operator;
    await page.goto('/portal');
    await page.getByRole('link', { name: 'Account policies' }).click();
    await page.getByLabel('Client ID').fill(client.clientId);
    await page.getByRole('button', { name: 'Find policy' }).click();
    await page.getByText('No policy yet.').waitFor();
    await page.getByRole('link', { name: 'Edit as JSON' }).click();
    const policy = page.getByLabel('Policy (JSON)');
    await policy.fill('{ "maxValue": "01" }');
    await page.getByRole('button', { name: 'Save policy' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.locator('#document-problem').innerText()).toContain('maxValue');
    expect(await policy.inputValue()).toBe('{ "maxValue": "01" }');
    await policy.fill('{ "maxValue": "1" }');
    await page.getByRole('button', { name: 'Save policy' }).click();
    await page.getByText('Remove policy', { exact: true }).click();
    expect(JSON.parse(await policy.inputValue())).toMatchObject({ maxValue: '1', calls: [] });
    await page.getByText('This cannot be undone.').waitFor();
    await page.getByRole('button', { name: `Remove policy of ${client.clientId}` }).click();
    await page.getByText('No policy yet.').waitFor();
    expect((await actionsOn(client.clientId)).slice(0, 3)).toEqual([
      expect.stringMatching(/viewed an account policy$/),
      expect.stringMatching(/^Operator \S+ removed an account policy$/),
      expect.stringMatching(/viewed an account policy$/),
    ]);
    expect(complaints).toEqual([]);
  });

  it('policies and freezes in the portal of operators: sets a policy by its fields, and says which of them is wrong', async () => {
    const { page, complaints } = operator;
    const { clientId } = await pages.suite.createClient({ scopes: ['accountkit'] });
    await page.goto(`/portal/account-policies/${clientId}`);
    const call = (column: string, row: number) =>
      page.getByLabel(`${column}, Contracts that accounts may call, row ${row}`);
    await call('Chain ID', 2).fill('8453');
    await call('Target', 2).fill('anyone');
    await page.getByLabel('Coins that its calls send together (wei)').fill('1.5');
    await page.getByLabel('Solana devnet').first().check();
    await page.getByRole('button', { name: 'Save policy' }).click();
    const alert = page.getByRole('alert');
    await alert.getByRole('link', { name: 'Coins that its calls send together (wei)' }).waitFor();
    await alert.getByRole('link', { name: 'Target, Contracts that accounts may call, row 2' }).click();
    expect(await page.evaluate('document.activeElement.id')).toBe('calls-1-target');
    expect(await call('Chain ID', 2).inputValue()).toBe('8453');
    await call('Target', 2).fill('any');
    await page.getByLabel('Coins that its calls send together (wei)').fill('10');
    await page.getByRole('button', { name: 'Save policy' }).click();
    await page.getByText('Remove policy', { exact: true }).waitFor();
    expect(await call('Target', 1).inputValue()).toBe('any');
    expect(await page.getByLabel('Solana devnet').first().isChecked()).toBe(true);
    await page.getByRole('link', { name: 'Edit as JSON' }).click();
    expect(JSON.parse(await page.getByLabel('Policy (JSON)').inputValue())).toMatchObject({
      calls: [{ chainId: 8453, target: 'any' }],
      maxValue: '10',
      solanaNetworks: ['SOL_DEVNET'],
    });

    // A policy that another operator changed meanwhile is not replaced unseen.
    await page.goBack();
    const other = await page.context().newPage();
    await other.goto(`/portal/account-policies/${clientId}?as=json`);
    await other.getByLabel('Policy (JSON)').fill('{}');
    await other.getByRole('button', { name: 'Save policy' }).click();
    await other.getByText('Remove policy', { exact: true }).waitFor();
    await other.close();
    await call('Chain ID', 1).fill('1');
    await page.getByRole('button', { name: 'Save policy' }).click();
    await page.getByText('Another operator changed this policy after you opened the page.').waitFor();
    expect(await call('Chain ID', 1).inputValue()).toBe('1');
    expect(complaints).toEqual([]);
  });

  it('policies and freezes in the portal of operators: shows an operator that another one changed the policy meanwhile', async () => {
    const { page } = operator;
    const { clientId } = await pages.suite.createClient({ scopes: ['accountkit'] });
    const policy = page.getByLabel('Policy (JSON)');
    const save = () => page.getByRole('button', { name: 'Save policy' }).click();
    await page.goto(`/portal/account-policies/${clientId}?as=json`);
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByLabel('Policy (JSON)').fill('{ "maxValue": "1" }');
    await other.getByRole('button', { name: 'Save policy' }).click();
    await other.getByText('Remove policy', { exact: true }).waitFor();

    await policy.fill('{ "maxValue": "2" }');
    await save();
    await page.getByRole('alert').waitFor();
    expect(await page.locator('#document-problem').innerText()).toContain('Another operator changed');
    expect(await policy.inputValue()).toBe('{ "maxValue": "2" }');
    await save();
    await page.getByText('Remove policy', { exact: true }).waitFor();
    await page.goto(page.url());
    expect(JSON.parse(await policy.inputValue())).toMatchObject({ maxValue: '2' });
    await other.getByText('Remove policy', { exact: true }).click();
    await other.getByRole('button', { name: `Remove policy of ${clientId}` }).click();
    await other.getByRole('alert').waitFor();
    await other.close();
  });

  it('policies and freezes in the portal of operators: does not find a client application that does not exist', async () => {
    const response = await operator.page.goto('/portal/account-policies/client_of_nobody');
    expect(response?.status()).toBe(404);
  });

  it('policies and freezes in the portal of operators: freezes and unfreezes, with the keyboard alone', async () => {
    const { page, complaints } = operator;
    await page.goto('/portal/freezes');
    await page.getByText('Nothing is frozen.').waitFor();
    await page.getByLabel('What', { exact: true }).focus();
    await page.keyboard.type('Client');
    await page.keyboard.press('Tab');
    await page.keyboard.type('client_of_nobody');
    await page.keyboard.press('Tab');
    await page.keyboard.type('A key was found in a log');
    await page.keyboard.press('Enter');
    await page.getByText('No client application has this ID.').waitFor();
    const subject = page.getByLabel('Address, client ID or chain ID');
    await subject.fill(client.clientId);
    await subject.press('Enter');
    await page.getByRole('heading', { name: `Freeze client application ${client.clientId}?` }).waitFor();
    await page.getByText('No account signs anything any more that this application asks for.').waitFor();
    await page.getByRole('button', { name: `Freeze client application ${client.clientId}` }).press('Enter');
    const remove = page.getByRole('button', {
      name: `Remove freeze of Client application ${client.clientId}`,
    });
    await page.locator('main summary').waitFor();
    expect(await remove.isVisible()).toBe(false);
    await page.getByText('A key was found in a log').waitFor();
    await page.locator('main summary').focus();
    await page.keyboard.press('Enter');
    await remove.focus();
    await page.keyboard.press('Enter');
    await page.getByText('Nothing is frozen.').waitFor();
    expect((await actionsOn(client.clientId)).slice(0, 2)).toEqual([
      expect.stringMatching(/^Operator \S+ removed a freeze$/),
      expect.stringMatching(/^Operator \S+ froze smart accounts$/),
    ]);
    expect(complaints).toEqual([]);
  });

  it.each(['/portal/account-policies', '/portal/account-policies/client_1', '/portal/freezes'])(
    'is forbidden for other users: %s',
    async (path) => {
      const { page } = await pages.member();
      expect((await page.goto(path))?.status()).toBe(403);
    },
  );

  it('policies and freezes in the portal of operators: does not let other users freeze', async () => {
    const { page, context } = await pages.member();
    const csrf = await page.locator('input[name=csrf]').first().inputValue();
    for (const [path, form] of [
      ['/portal/freezes', { scope: 'everything', reason: 'mine' }],
      ['/portal/freezes/remove', { freezeId: 'everything' }],
      [`/portal/account-policies/${client.clientId}`, { document: '{}' }],
      [`/portal/account-policies/${client.clientId}/remove`, {}],
    ] as const) {
      const answer = await context.request.post(path, {
        form: { csrf, ...form },
        headers: { origin: pages.suite.gatewayUrl },
      });
      expect([path, answer.status()]).toEqual([path, 403]);
    }
    await operator.page.goto('/portal/freezes');
    await operator.page.getByText('Nothing is frozen.').waitFor();
  });
});
