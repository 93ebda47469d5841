import type { Principal } from '@app/auth';
import { notFound, unauthorized } from '@app/common';
import { Injectable } from '@nestjs/common';
import type { UserRecord } from '../users/user-record.js';
import { Users } from '../users/users.js';

/** What users see of themselves. */
@Injectable()
export class ProfileService {
  constructor(private readonly users: Users) {}

  async of(principal: Principal): Promise<UserRecord> {
    const user = principal.kind === 'caller' ? principal.user : undefined;
    if (!user) throw unauthorized('no_user', 'This operation is for a user.');
    const record = await this.users.present(user);
    if (!record) throw notFound('no_such_user', 'There is no such user.');
    return record;
  }
}
