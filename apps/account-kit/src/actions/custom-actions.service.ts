import { isUtf8 } from 'node:buffer';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { ACTION_LIMITS } from './action-limits.js';
import { actionNotFound } from '../custody/key-vault.errors.js';
import { actionListLimitExceeded, actionSourceInvalid } from './actions.errors.js';
import {
  type CustomAction,
  deleteAction,
  findAction,
  insertAction,
  listActions,
  type ListedAction,
} from './custom-actions.queries.js';
import { checkActionSource, parseActionCid, toActionCid } from './parse-action-cid.js';

/** The lists of custom actions that client applications may run. Operators keep them. */
@Injectable()
export class CustomActionsService {
  constructor(private readonly database: Database) {}

  /**
   * Lists an action, again without effect. Without a CID it gets that of its bytes.
   * @returns the CID
   * @throws AppError 400 for bytes that are not those of the CID, 409 over a limit
   */
  async add(clientId: string, cidText: string | undefined, source: Buffer): Promise<string> {
    if (source.length > ACTION_LIMITS.sourceBytes)
      throw actionSourceInvalid(`is larger than ${ACTION_LIMITS.sourceBytes} bytes`);
    if (!isUtf8(source)) throw actionSourceInvalid('is not UTF-8');
    const cid = cidText === undefined ? toActionCid(source) : parseActionCid(cidText);
    checkActionSource(cid, source);
    const action = { clientId, cid: cid.toString(), source };
    const isListed = await this.database.transaction((manager) => insertAction(manager, action));
    if (!isListed) throw actionListLimitExceeded();
    return action.cid;
  }

  /** @throws AppError 404 */
  async load(clientId: string, cidText: string): Promise<CustomAction> {
    const action = await findAction(this.database, clientId, parseActionCid(cidText).toString());
    if (!action) throw actionNotFound();
    return action;
  }

  list(clientId: string): Promise<ListedAction[]> {
    return listActions(this.database, clientId);
  }

  /** @throws AppError 404 */
  async remove(clientId: string, cidText: string): Promise<void> {
    if (!(await deleteAction(this.database, clientId, parseActionCid(cidText).toString())))
      throw actionNotFound();
  }
}
