import { postJson } from './post-json.js';
import type { Wallet } from './wallet.js';
import { pickWallet, showStatus } from './wallet-picker.js';

const container = document.querySelector<HTMLElement>('#wallet-link');
const {
  csrf = '',
  requestId = '',
  message = '',
  removalMessage = '',
  community = '',
  platform = '',
} = container?.dataset ?? {};

/** What the page no longer needs once the wallet has signed. */
const USED_UP = 'fieldset, p:not(#status), ul, details, button, #phone-help, #wallet-connect';

async function sign(wallet: Wallet): Promise<void> {
  const isRemoval = container?.querySelector<HTMLInputElement>('input[value="remove"]')?.checked === true;
  showStatus(`Waiting for ${wallet.name} …`, 'working');
  const accountId = await wallet.connect();
  showStatus(`Read the message in ${wallet.name} and sign it.`, 'working');
  const { signature } = await wallet.sign(isRemoval ? removalMessage : message);
  showStatus(
    isRemoval ? 'Removing the wallet …' : 'Linking the wallet and looking at your roles …',
    'working',
  );
  const path = `/wallet-links/${requestId}/${isRemoval ? 'removals' : 'wallets'}`;
  const { roles } = await postJson<{ roles?: string[] }>(path, csrf, { accountId, signature });
  for (const part of container?.querySelectorAll(USED_UP) ?? []) part.remove();
  showStatus(isRemoval ? 'The wallet is removed.' : 'The wallet is linked.');
  const result = document.createElement('div');
  result.tabIndex = -1;
  result.append(...(isRemoval ? describeRemoval() : describeRoles(roles)), ...createWayBack());
  container?.append(result);
  result.focus();
}

function createText(tag: 'p' | 'li', ...parts: (string | Node)[]): HTMLElement {
  const element = document.createElement(tag);
  element.append(...parts);
  return element;
}

/** A name that others chose, apart from the direction of the text around it. */
function createName(name: string): HTMLElement {
  const element = document.createElement('bdi');
  element.textContent = name;
  return element;
}

function describeRoles(roles: string[] | undefined): HTMLElement[] {
  const name = createName(community);
  if (!roles)
    return [createText('p', 'Your roles in ', name, ' are being looked at. They change within minutes.')];
  if (roles.length === 0) {
    const noticed = ' yet. Once you hold more, that is noticed by itself.';
    return [createText('p', 'What your wallets hold gives you no role in ', name, noticed)];
  }
  const list = document.createElement('ul');
  list.append(...roles.map((role) => createText('li', createName(role))));
  const these = roles.length === 1 ? 'this role' : 'these roles';
  return [createText('p', `You have ${these} in `, name, ' now:'), list];
}

function describeRemoval(): HTMLElement[] {
  const effect = '. Roles that you had only because of it end.';
  return [createText('p', 'What it holds no longer counts in ', createName(community), effect)];
}

/** Leads to the site from which the page was opened, else says where to go on. */
function createWayBack(): HTMLElement[] {
  const from = URL.canParse(document.referrer) ? new URL(document.referrer) : undefined;
  if (!from?.protocol.startsWith('http') || from.origin === window.location.origin)
    return [createText('p', 'Go back to ', createName(community), ` on ${platform}.`)];
  const link = document.createElement('a');
  link.className = 'button';
  link.href = from.href;
  link.append(`Go back to ${from.host}`);
  return [createText('p', link)];
}

pickWallet(sign);
