const DATABASE_PORTS: ReadonlySet<number> = new Set([
  ...[1433, 1434], // SQL Server
  ...[1521, 1522, 1830, 2483, 2484], // Oracle
  ...[2379, 2380], // etcd
  ...[3050], // Firebird
  ...[3306, 33_060], // MySQL
  ...[5432, 5433, 6432], // PostgreSQL, YugabyteDB, PgBouncer
  ...[5984, 6984], // CouchDB
  ...[6379, 6380, 16_379, 26_379], // Redis, its cluster bus and sentinel
  ...[7000, 7001, 7199, 9042, 9142, 9160], // Cassandra
  ...[7474, 7687], // Neo4j
  ...[8086, 8088], // InfluxDB
  ...[8091, 8092, 8093, 11_207, 11_210], // Couchbase
  ...[8123, 9000], // ClickHouse
  ...[8529], // ArangoDB
  ...[9200, 9300], // Elasticsearch
  ...[11_211], // memcached
  ...[26_257], // CockroachDB
  ...[27_017, 27_018, 27_019], // MongoDB
  ...[28_015, 29_015], // RethinkDB
  ...[50_000], // Db2
]);

/** Allows 443, 80, and ports from 1024 that are not the default port of a database (contract.md section 5). */
export function isPortAllowed(port: number): boolean {
  if (port === 443 || port === 80) return true;
  return port >= 1_024 && port <= 65_535 && !DATABASE_PORTS.has(port);
}
