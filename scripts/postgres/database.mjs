import { withConnection } from './with-connection.mjs';

/**
 * Makes the role and the database of the local profile once. The apps do not connect as superuser, as they would not
 * in a deployment.
 * @param {string} adminUrl
 * @param {string} password for the new role
 * @returns {Promise<string>} the DATABASE_URL of the apps
 */
export async function ensureDatabase(adminUrl, password) {
  await withConnection(adminUrl, async (client) => {
    /** @param {string} sql */
    const has = async (sql) => ((await client.query(sql)).rowCount ?? 0) > 0;
    if (!(await has(`SELECT FROM pg_roles WHERE rolname = 'gatehouse'`)))
      await client.query('CREATE ROLE gatehouse LOGIN');
    await client.query(`ALTER ROLE gatehouse PASSWORD ${client.escapeLiteral(password)}`);
    if (!(await has(`SELECT FROM pg_database WHERE datname = 'gatehouse'`)))
      await client.query('CREATE DATABASE gatehouse OWNER gatehouse');
  });
  const url = new URL(adminUrl);
  url.username = 'gatehouse';
  url.password = password;
  url.pathname = '/gatehouse';
  return url.href;
}
