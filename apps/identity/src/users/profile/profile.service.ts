import { createHmac } from 'node:crypto';
import { badRequest, conflict, notFound } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { IdentityConfig } from '../../common/identity.config.js';
import { lockUser, updateProfile } from '../users.queries.js';
import { findUsernameReservation } from './profile-fields.js';
import {
  claimUsername,
  disownUsernames,
  isUsernameOf,
  loadUsernameState,
  MAX_USERNAME_CHANGES_PER_YEAR,
  reassignUsername,
  releaseUsername,
  removeUsername,
  updateUsername,
} from './usernames.queries.js';

/** Null removes a field. */
export interface Profile {
  readonly name: string | null;
  readonly username: string | null;
  readonly picture: string | null;
}

const userNotFound = () => notFound('user_not_found', 'No user has this id.');

const usernameTaken = () => conflict('username_taken', 'This username is taken, or was. Choose another one.');

const usernameReserved = (reason: string) =>
  badRequest('username_invalid', `This username ${reason}. Choose another one.`);

const usernameChangeLimitExceeded = (freeAt: string) =>
  conflict(
    'username_change_limit_exceeded',
    `A username can be changed ${MAX_USERNAME_CHANGES_PER_YEAR} times a year. The next change is possible from ${freeAt.slice(0, 10)} on.`,
  );

/** What users say of themselves in the portal. */
@Injectable()
export class ProfileService {
  constructor(
    private readonly database: Database,
    private readonly config: IdentityConfig,
  ) {}

  /** Saves all fields, or none. @throws AppError 400 for a reserved username, 404, 409 */
  async save(userId: string, { username, ...profile }: Profile): Promise<void> {
    await this.database.transaction(async (manager) => {
      if ((await lockUser(manager, userId)) === undefined) throw userNotFound();
      await this.setUsername(manager, userId, username);
      await updateProfile(manager, userId, profile);
    });
  }

  /** Call it in the transaction of an erasure, before the profile is erased. */
  async eraseUsernames(manager: EntityManager, userId: string): Promise<void> {
    if ((await lockUser(manager, userId)) === undefined) return;
    const { username } = await loadUsernameState(manager, userId);
    if (username !== null) await claimUsername(manager, this.hash(username), null);
    await disownUsernames(manager, userId);
  }

  /** Takes the username from whoever has it. Call it while both users are locked. */
  async giveUsername(manager: EntityManager, username: string, userId: string): Promise<void> {
    const state = await loadUsernameState(manager, userId);
    if (state.username !== null && state.username !== username)
      await claimUsername(manager, this.hash(state.username), userId);
    await reassignUsername(manager, this.hash(username), userId);
    await removeUsername(manager, username, userId);
    await updateUsername(manager, userId, username, false);
  }

  /** Call it while the user who has it is locked. @returns false for a username that nobody has or had */
  async freeUsername(manager: EntityManager, username: string): Promise<boolean> {
    const wasKept = await releaseUsername(manager, this.hash(username));
    return (await removeUsername(manager, username, null)) || wasKept;
  }

  private async setUsername(manager: EntityManager, userId: string, username: string | null): Promise<void> {
    const state = await loadUsernameState(manager, userId);
    if (username === state.username) return;
    // A username that is older than the claims stays the user's, too.
    if (state.username !== null) await claimUsername(manager, this.hash(state.username), userId);
    if (username === null) {
      await updateUsername(manager, userId, null, false);
      return;
    }
    const usernameHash = this.hash(username);
    const reservation = findUsernameReservation(username);
    // A reserved username that an operator gave to the user stays the user's, as other ones do.
    if (reservation !== undefined && !(await isUsernameOf(manager, userId, username, usernameHash)))
      throw usernameReserved(reservation);
    if (state.freeAt !== null && state.recentChanges >= MAX_USERNAME_CHANGES_PER_YEAR)
      throw usernameChangeLimitExceeded(state.freeAt);
    await claimUsername(manager, usernameHash, userId);
    if (!(await isUsernameOf(manager, userId, username, usernameHash))) throw usernameTaken();
    await updateUsername(manager, userId, username, state.hadUsername);
  }

  /** Credentials are hashed under the same key, and none of them begins so. */
  private hash(username: string): Buffer {
    return createHmac('sha256', this.config.CREDENTIAL_PEPPER).update(`username:${username}`).digest();
  }
}
