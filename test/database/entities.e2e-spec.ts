import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import 'reflect-metadata';
import { createDataSource } from '@app/database';
import type { DataSource } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { storage as accountKit } from '../../apps/account-kit/src/database/storage.js';
import { storage as analytics } from '../../apps/analytics/src/database/storage.js';
import { storage as gateway } from '../../apps/gateway/src/pipeline/limit/storage.js';
import { storage as identity } from '../../apps/identity/src/database/storage.js';
import { storage as tokenGating } from '../../apps/token-gating/src/database/storage.js';
import { queryDatabase } from '../identity/query-database.js';
import { freshDatabase, type FreshDatabase } from '../support/fresh-database.js';

const APPS = Object.entries({
  'account-kit': accountKit,
  analytics,
  gateway,
  identity,
  'token-gating': tokenGating,
});

interface TableColumn {
  name: string;
  type: string;
  isNullable: boolean;
  default: string | null;
  identity: string | null;
}

/** Columns of a table as migrations created them. The default has no cast: `'RS256'` instead of `'RS256'::text`. */
const COLUMNS = `
  SELECT column_name AS name,
         CASE data_type WHEN 'ARRAY' THEN ltrim(udt_name, '_') || '[]' ELSE data_type END AS type,
         is_nullable = 'YES' AS "isNullable",
         regexp_replace(column_default, '::[a-z ]+(\\[\\])?$', '') AS default,
         identity_generation AS identity
  FROM information_schema.columns WHERE table_schema = $1 AND table_name = $2
  ORDER BY column_name COLLATE "C"`;

describe.each(APPS)('entities of %s', (app, storage) => {
  let database: FreshDatabase;
  let dataSource: DataSource;

  beforeAll(async () => {
    database = await freshDatabase(app);
    dataSource = createDataSource({
      ...storage,
      url: database.url,
      poolSize: 1,
      applicationName: 'entities-test',
      onConnectionLost: () => undefined,
    });
    await dataSource.initialize();
  });

  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  const toTableColumn = (column: ColumnMetadata): TableColumn => ({
    name: column.databaseName,
    type: dataSource.driver.normalizeType(column) + (column.isArray ? '[]' : ''),
    isNullable: column.isNullable,
    default:
      typeof column.default === 'number'
        ? String(column.default)
        : (dataSource.driver.normalizeDefault(column) ?? null),
    identity: column.generatedIdentity ?? null,
  });

  it('entities: have the columns, types, nullability and defaults of the migrated tables', async () => {
    expect(dataSource.entityMetadatas).toHaveLength(storage.entities.length);
    for (const { schema = '', tableName, columns } of dataSource.entityMetadatas) {
      const expected = columns.map(toTableColumn).sort((a, b) => (a.name < b.name ? -1 : 1));
      const migrated = await queryDatabase(database.url, COLUMNS, [schema, tableName]);
      expect({ tableName, columns: migrated }).toEqual({ tableName, columns: expected });
    }
  });
});
