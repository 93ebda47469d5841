/** A Telegram bot that lets those into a group who hold a role of a Gatehouse community, and removes those who have lost it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createGatehouse, log, send, serve, setting } from './gatehouse.mjs';

/** @typedef {{ id: number, is_bot: boolean, first_name: string, username?: string }} User */
/**
 * @typedef {object} Update
 * @property {number} update_id
 * @property {{ from?: User, chat: { id: number, type: string }, text?: string }} [message]
 * @property {{ from: User, chat: { id: number }, user_chat_id: number }} [chat_join_request]
 * @property {{ chat: { id: number }, new_chat_member: { status: string, user: User } }} [chat_member]
 */

const chat_id = Number(setting('TELEGRAM_GROUP_ID'));
const roles = setting('ROLES').split(',');
const POLL_SECONDS = 25;
const UPDATES = ['message', 'chat_join_request', 'chat_member'];

/** @param {string} method @param {object} [body] @param {number} [expected] a status that is no failure here @returns {Promise<unknown>} */
async function telegram(method, body = {}, expected = 200) {
  const url = `${setting('TELEGRAM_API_URL')}/bot${setting('TELEGRAM_BOT_TOKEN')}/${method}`;
  const options = { method: 'POST', body, expected, timeoutMs: (POLL_SECONDS + 10) * 1_000 };
  return /** @type {{ result?: unknown }} */ (await send(url, options)).result;
}

/** Nobody hears from a bot that they have not started, or have blocked. @param {string | number} user @param {string} text */
const tell = (user, text) => telegram('sendMessage', { chat_id: user, text }).catch(log);

/** Approves the user's request to join; who has made none, which is 400, gets the link by which they make one. @param {string} id */
async function letIn(id) {
  const isApproved = await telegram('approveChatJoinRequest', { chat_id, user_id: Number(id) }, 400);
  await tell(id, isApproved ? 'Welcome to the group.' : `Join the group: ${gatehouse.state.link ?? ''}`);
}

/** Removes a member, who may come back. Who was banned stays banned, and administrators stay. @param {string} id */
async function remove(id) {
  const user = { chat_id, user_id: Number(id) };
  const member = await telegram('getChatMember', user, 400); // for whom the group has never seen
  const { status } = /** @type {{ status?: string }} */ (member ?? {});
  if (status !== 'member' && status !== 'restricted') return;
  await telegram('unbanChatMember', user); // removes members, and in one call, unlike a ban that is lifted again
  await tell(id, 'You no longer hold what the group asks for. Send /start once you do.');
}

/** Lets a user in who has the role; the others get a page that links a wallet, for them alone. @param {User} user @param {number} to */
async function judge({ id, username, first_name }, to) {
  const text = await gatehouse.join(String(id), username ?? first_name);
  if (text) await tell(to, text);
}

/** @param {Update} update */
async function handle({ message, chat_join_request: request, chat_member: changed }) {
  if (message?.from && message.chat.type === 'private' && /^\/(start|verify)\b/.test(message.text ?? ''))
    await judge(message.from, message.chat.id);
  if (request?.chat.id === chat_id) await judge(request.from, request.user_chat_id);
  // Somebody may come by another way: added by a member, or by another link. Who has the role is not let in a second time.
  const { status, user } = changed?.new_chat_member ?? {};
  if (changed?.chat.id === chat_id && status === 'member' && user && !user.is_bot)
    await gatehouse.refresh(String(user.id), roles);
}

const gatehouse = createGatehouse({
  roles,
  // Telegram's ids have 52 bits at most. Those of Discord, whose bot may serve the same community, have 17 digits or more.
  isFollowed: (id) => /^[1-9]\d{0,15}$/.test(id),
  change: async (id, held, before) => {
    if (held.length === 0) await remove(id);
    else if (before.length === 0) await letIn(id);
  },
});
serve({ '/callbacks': gatehouse.receive });

if (!gatehouse.state.link) {
  // People ask to join by this link, and each is judged: it is of no use to those to whom it is passed on.
  const link = await telegram('createChatInviteLink', { chat_id, creates_join_request: true });
  gatehouse.state.link = /** @type {{ invite_link: string }} */ (link).invite_link;
  gatehouse.save();
}
await gatehouse.reconcile().catch(log);
console.log(`The bot gates the group ${chat_id}: ${gatehouse.state.link}`);

for (let offset = 0; ;) {
  const request = { offset, timeout: POLL_SECONDS, allowed_updates: UPDATES };
  const updates = await telegram('getUpdates', request).catch(log); // 409 says that another program polls with this token
  for (const update of /** @type {Update[]} */ (updates ?? [])) {
    await handle(update).catch(log);
    offset = update.update_id + 1;
  }
  if (!updates) await sleep(5_000);
}
