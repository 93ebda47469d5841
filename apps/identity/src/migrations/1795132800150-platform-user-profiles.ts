import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What each client application says of platform users. The first application's profile was everybody's before. */
export class PlatformUserProfiles1795132800150 implements MigrationInterface {
  readonly name = 'PlatformUserProfiles1795132800150';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE identity.platform_user_profiles (
        client_id text NOT NULL,
        user_id text NOT NULL,
        user_name text,
        username text,
        name text,
        picture text,
        CONSTRAINT platform_user_profiles_pkey PRIMARY KEY (client_id, user_id),
        CONSTRAINT platform_user_profiles_user_id_fkey FOREIGN KEY (user_id) REFERENCES identity.users (id)
      )`);
    // Which application reported them is not known.
    await runner.query(`
      UPDATE identity.users SET user_name = NULL, username = NULL, name = NULL, picture = NULL
      WHERE platform IN ('chat', 'microblog', 'codehost')
        AND coalesce(user_name, username, name, picture) IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE identity.platform_user_profiles');
  }
}
