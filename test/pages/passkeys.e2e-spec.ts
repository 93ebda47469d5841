import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/needs.js';
import { receiver } from '../support/receiver.js';
import { until } from '../support/until.js';
import { complaintsAt } from './complaints.js';
import { leaseLoginHostPages } from './pages-under-test.js';
import { PasskeyWorld, pathOf, userIdOf } from './passkey-world.js';
import { AuthorizationRequest, cameBack, createApplication } from './test-application.js';
import { VirtualAuthenticator } from './virtual-authenticator.js';
import { clickAndSendAgain } from './send-again.js';

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 800 };
const REFUSED = [400, 'passkey_invalid', expect.anything()];

/** Posts JSON from a page of the login host, with its token. @returns the status and the error's code */
const postFrom = (page: Page, path: string, body: object): Promise<[number, string | undefined, object]> =>
  page.evaluate(`(async () => {
    const { csrf } = document.querySelector('[data-csrf]').dataset;
    const response = await fetch(${JSON.stringify(path)}, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...${JSON.stringify(body)}, csrf }),
    });
    const answer = await response.json();
    return [response.status, answer.error?.details?.code, answer];
  })()`);

/** Lets an assertion or a new passkey wait in the page until the test calls \`answerNow()\` there. */
const SLOW = `
  for (const name of ['get', 'create']) {
    const ask = navigator.credentials[name].bind(navigator.credentials);
    navigator.credentials[name] = async (options) => {
      const answer = await ask(options);
      await new Promise((resolve) => { window.answerNow = resolve; });
      return answer;
    };
  }`;

const untilAuthenticatorAnswered = async (page: Page): Promise<void> => {
  // A loop rather than `waitForFunction`, which polls with an eval that the content security policy of the pages
  // refuses.
  await until('the authenticator has answered', () =>
    page.evaluate<boolean>('window.answerNow !== undefined'),
  );
};

const answerNow = async (page: Page): Promise<void> => {
  await untilAuthenticatorAnswered(page);
  await page.evaluate('window.answerNow()');
};

describeInBrowser('passkeys in a browser', () => {
  let world: PasskeyWorld;

  beforeAll(async () => {
    world = new PasskeyWorld(await leaseLoginHostPages());
  });

  afterAll(async () => {
    await world.stop();
  });

  it('T290: /portal/passkeys: adds a passkey that signs in, is renamed, and signs nobody in once it is removed', async () => {
    const { page, credential, userId, complaints } = await world.owner();
    const other = await world.guest({ credentials: [credential] });
    expect(await other.signIn()).toBe(userId);
    await other.page.getByText('If you did not add it, remove it.').waitFor();

    await page.getByText('Rename', { exact: true }).click();
    await page.getByLabel('Name', { exact: true }).fill('Büro <b>');
    await page.getByRole('button', { name: 'Save name' }).click();
    await page.getByRole('heading', { name: 'Büro <b>', exact: true }).waitFor();
    const removal = page.getByRole('button', { name: 'Remove passkey Büro <b>' });
    expect(await removal.isVisible()).toBe(false);
    await page.getByText('Remove…', { exact: true }).click();
    expect(await page.getByRole('link', { name: 'Connected applications' }).last().isVisible()).toBe(true);
    expect(await clickAndSendAgain(removal)).toBe(303);
    await page.getByText('No passkeys yet.').waitFor();

    await other.page.goto(`${world.origin}/portal`);
    expect(pathOf(other)).toBe('/login');
    await other.choosePasskey();
    expect(await other.problem()).toContain('could not be verified');
    expect([...complaints, ...other.complaints]).toEqual([]);
  });

  it('/login: signs in with a passkey that the browser suggests, also after the first challenge has ended', async () => {
    const { credential, userId } = await world.owner();
    const options = { credentials: [credential], suggests: true, confirms: false };
    const { page, authenticator, complaints } = await world.guest(options);
    const hint = page.getByText('your browser suggests your passkeys');
    await hint.waitFor();
    await page.waitForLoadState('networkidle');
    await page.clock.install();
    const nextChallenge = async (): Promise<string> => {
      const answer = await page.waitForResponse('**/login/passkey-options');
      return ((await answer.json()) as { challenge: string }).challenge;
    };
    // The clock goes in steps, because the script begins to measure the age of a challenge a moment after the answer; the pauses let the authenticator answer.
    const passTimeUntil = async <T>(event: Promise<T>): Promise<T> => {
      const state = { isOver: false };
      const end = (): void => void (state.isOver = true);
      event.then(end, end);
      while (!state.isOver) {
        await page.clock.runFor(10_000);
        await setTimeout(50);
      }
      return event;
    };
    const [first] = await Promise.all([nextChallenge(), page.reload()]);
    await hint.waitFor();
    expect(await passTimeUntil(nextChallenge())).not.toBe(first);
    await authenticator.confirm();
    await passTimeUntil(page.waitForURL('**/portal/communities'));
    expect(await userIdOf(page)).toBe(userId);
    expect(complaints).toEqual([]);
  });

  it('T291: /login: a wallet login shows a passkey that was added since the last one, and removes all of them on request', async () => {
    const user = await world.owner();
    const { page, credential } = user;
    const thief = await world.guest({ credentials: [credential] });
    await thief.signIn();
    await world.logInByWallet(user, '/portal/profile');
    await page.getByRole('heading', { name: 'Are these passkeys yours?' }).waitFor();
    await page.getByRole('button', { name: 'Keep this passkey' }).click();
    await page.waitForURL('**/portal/profile');
    await world.logInByWallet(user, '/portal/profile');
    await page.waitForURL('**/portal/profile');

    await page.goto(`${world.origin}/portal/passkeys`);
    await page.getByRole('button', { name: 'Add passkey' }).click();
    await page.getByText('This device has one of your passkeys already.').waitFor();
    const second = await VirtualAuthenticator.install(page, { transport: 'usb' });
    await page.getByRole('button', { name: 'Add passkey' }).click();
    await page.getByRole('heading', { name: 'Security key', exact: true }).waitFor();
    expect(await second.credentials()).toHaveLength(1);
    await world.logInByWallet(user);
    const removal = page.getByRole('button', { name: 'Remove all passkeys and end other sessions' });
    expect(await removal.isVisible()).toBe(false);
    await page.getByText('Is one of them not yours?').click();
    await removal.click();
    await page.waitForURL('**/portal');
    await thief.page.goto(`${world.origin}/portal`);
    expect(pathOf(thief)).toBe('/login');
    await page.goto(`${world.origin}/portal/passkeys`);
    await page.getByText('No passkeys yet.').waitFor();
    expect(user.complaints).toEqual([]);
  });

  it('/login/{uid}: shows a new passkey during a login for an application, and then goes on with it', async () => {
    const { page, credential, authenticator } = await world.owner();
    // The passkey would otherwise sign in before the wallet does.
    await authenticator.confirm(false);
    const shop = await createApplication(world.pages.suite);
    const { url } = new AuthorizationRequest(world.origin, shop, { prompt: 'login' });
    await page.goto(url);
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await page.getByRole('button', { name: 'Keep this passkey' }).click();
    await page.getByRole('button', { name: 'Allow access' }).click();
    expect((await cameBack(page)).get('code')).toBeTruthy();

    const other = await world.guest({ credentials: [credential] });
    await other.page.goto(url);
    await other.choosePasskey();
    expect((await cameBack(other.page)).get('code')).toBeTruthy();
    await shop.stop();
  });

  it('T292: /login: blocks a passkey whose counter falls, until a wallet login keeps it', async () => {
    const user = await world.owner();
    const { credential, page } = user;
    const original = await world.guest({ credentials: [{ ...credential, signCount: 50 }] });
    await original.signIn();
    const copy = await world.guest({ credentials: [{ ...credential, signCount: 3 }] });
    await copy.choosePasskey();
    expect(await copy.problem()).toContain('could not be verified');
    await page.goto(`${world.origin}/portal/passkeys`);
    await page.getByText('Refused, because its counter did not grow').waitFor();
    await world.logInByWallet(user);
    await page.getByText('somebody may have a copy').waitFor();
    await page.getByRole('button', { name: 'Keep this passkey' }).click();
    await page.waitForURL('**/portal');
    expect(await copy.signIn()).toBe(user.userId);
  });

  it('T293: /login: refuses a replayed answer, a wrong user handle, and a user who was not verified', async () => {
    const { credential, userId } = await world.owner();
    const other = await world.owner();
    const first = await world.guest({ credentials: [credential] });
    const [sent, signedIn] = await Promise.all([
      first.page.waitForRequest('**/login/passkey-sessions'),
      first.signIn(),
    ]);
    expect(signedIn).toBe(userId);
    const { response } = sent.postDataJSON() as { response: object };
    const replay = await world.guest({});
    expect(await postFrom(replay.page, '/login/passkey-sessions', { response })).toEqual(REFUSED);

    const { userHandle } = other.credential;
    // The counter has grown, so that only the user handle is wrong.
    const mixture = { ...credential, signCount: 100, ...(userHandle && { userHandle }) };
    const mixed = await world.guest({ credentials: [mixture] });
    await mixed.choosePasskey();
    expect(await mixed.problem()).toContain('could not be verified');
    const unverified = await world.guest({ credentials: [credential], isUserVerified: false });
    await unverified.choosePasskey();
    expect(await unverified.problem()).toContain('was declined');
  });

  it('T294: /login: refuses what an authenticator signs for a page of another origin', async () => {
    const { credential } = await world.owner();
    const { page, context } = await world.guest({});
    const site = await receiver((_, response) => {
      response.setHeader('content-type', 'text/html').end('<title>Shop</title>');
    });
    const [, , { challenge }] = (await postFrom(page, '/login/passkey-options', {})) as [
      number,
      undefined,
      { challenge: string },
    ];
    const signAt = async (host: string): Promise<object | string> => {
      const foreign = await context.newPage();
      await foreign.goto(`http://${host}:${String(site.port)}/`);
      await VirtualAuthenticator.install(foreign, { credentials: [credential] });
      return foreign.evaluate<object | string>(`navigator.credentials.get({ publicKey: {
        ...PublicKeyCredential.parseRequestOptionsFromJSON({ challenge: ${JSON.stringify(challenge)}, rpId: 'localhost' }),
        userVerification: 'required',
      } }).then((answer) => answer.toJSON(), ({ name }) => name)`);
    };
    const response = await signAt('localhost');
    expect(response).toMatchObject({ type: 'public-key' });
    expect(await postFrom(page, '/login/passkey-sessions', { response })).toEqual(REFUSED);
    expect(await signAt('127.0.0.1')).toBe('SecurityError');
    await site.stop();
  });

  it('T295: /login and /portal/passkeys: wait for a slow authenticator, and say what another tab has changed', async () => {
    const user = await world.owner();
    const slow = await world.guest({ credentials: [user.credential] });
    await slow.page.addInitScript({ content: SLOW });
    await slow.page.reload();
    const late = await slow.context.newPage();
    await late.goto(`${world.origin}/login`);
    await slow.choosePasskey();
    await slow.page.getByText('Waiting for your device …').waitFor();
    expect(await slow.page.getByRole('button', { name: 'Sign in with a passkey' }).isDisabled()).toBe(true);
    await answerNow(slow.page);
    await slow.page.waitForURL('**/portal/communities');
    // The session of the other tab has ended with the login.
    await late.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await late.getByText('This page has expired.').waitFor();

    const visitor = await world.pages.visitor();
    await world.logInByWallet(visitor, '/portal/passkeys');
    const { page, context } = visitor;
    await VirtualAuthenticator.install(page);
    await page.addInitScript({ content: SLOW });
    await page.reload();
    await page.getByRole('button', { name: 'Add passkey' }).click();
    // A browser makes a passkey for the tab in front only.
    await untilAuthenticatorAnswered(page);
    const tab = await context.newPage();
    await tab.goto(`${world.origin}/portal/passkeys`);
    await VirtualAuthenticator.install(tab);
    await tab.getByRole('button', { name: 'Add passkey' }).click();
    await tab.getByRole('heading', { name: 'Passkey on Linux', exact: true }).waitFor();
    // Each tab began without a passkey, and so made a user handle of its own.
    await answerNow(page);
    await page.getByText('could not be verified').waitFor();
    await tab.reload();
    expect(await tab.getByRole('heading', { name: 'Passkey on Linux', exact: true }).count()).toBe(1);
  });

  it('T296: /login and /portal/passkeys: say what is missing without scripts, and without passkeys in the browser', async () => {
    const { context } = await world.owner();
    const browser = context.browser();
    if (!browser) throw new Error('The context has no browser');
    const plain = await browser.newContext({
      javaScriptEnabled: false,
      storageState: await context.storageState(),
    });
    const page = await plain.newPage();
    await page.goto(`${world.origin}/portal/passkeys`);
    const missing = page.locator('noscript .problem');
    await missing.waitFor();
    expect(await missing.innerText()).toContain('Adding a passkey requires JavaScript.');
    expect(await page.getByRole('button', { name: 'Add passkey' }).isVisible()).toBe(false);
    await plain.clearCookies();
    await page.goto(`${world.origin}/login`);
    expect(await missing.innerText()).toContain('with a wallet or a passkey, requires JavaScript');
    expect(await page.getByRole('button').count()).toBe(0);

    const old = await context.newPage();
    await old.addInitScript({ content: 'delete window.PublicKeyCredential' });
    await old.goto(`${world.origin}/portal/passkeys`);
    await old.getByText('This browser has no passkeys.').waitFor();
    expect(await old.getByRole('button', { name: 'Add passkey' }).isVisible()).toBe(false);
    await context.clearCookies();
    await old.goto(`${world.origin}/login`);
    await old.getByRole('button', { name: 'Test Wallet' }).waitFor();
    expect(await old.getByRole('button', { name: 'passkey' }).isVisible()).toBe(false);
  });

  it('/login, /portal/passkeys and /portal/new-passkeys: are accessible on phone and desktop, in light and dark mode', async () => {
    const user = await world.owner();
    const { page, credential } = user;
    const guest = await world.guest({ credentials: [credential], suggests: true, confirms: false });
    await guest.page.getByText('your browser suggests your passkeys').waitFor();
    const look = async (name: string, shown: Page): Promise<void> => {
      const complaints = await complaintsAt(shown, [PHONE, DESK]);
      expect({ name, complaints }).toEqual({ name, complaints: [] });
    };
    await look('login', guest.page);
    await page.goto(`${world.origin}/portal`);
    await look('notice', page);
    await page.goto(`${world.origin}/portal/passkeys`);
    await page.getByText('Rename', { exact: true }).click();
    await look('passkeys', page);
    await page.getByText('Remove…', { exact: true }).click();
    await look('removal', page);
    await world.logInByWallet(user);
    await look('new passkeys', page);
    await page.getByText('Is one of them not yours?').click();
    await look('removal of all', page);
  });
});
