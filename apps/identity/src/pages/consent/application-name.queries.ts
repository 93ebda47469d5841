import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { ClientApplication } from '../../applications/entities/client-application.entity.js';

export interface ApplicationName {
  name: string;
  iconUrl: string | null;
}

@Injectable()
export class ApplicationNameQueries {
  constructor(private readonly database: Database) {}

  /** Omits deleted applications. */
  async findByIds(clientIds: string[]): Promise<Map<string, ApplicationName>> {
    const found = await this.database.withConnection((manager) =>
      manager.find(ClientApplication, {
        where: { id: In(clientIds) },
        select: { id: true, name: true, iconUrl: true },
      }),
    );
    return new Map(found.map(({ id, name, iconUrl }) => [id, { name, iconUrl }]));
  }
}
