// SPDX-License-Identifier: MIT
// node duckdb.js SQL: print the rows of the answer of DuckDB, a JSON array each.  Status 77: DuckDB is not there; one gets it by
//     npm install --prefix "${XDG_CACHE_HOME:-$HOME/.cache}/wakepath-tests/duckdb" @duckdb/node-api
const kept = process.env.TEST_CACHE ? process.env.TEST_CACHE + '/duckdb/node_modules/@duckdb/node-api' : '';
let duckdb;
for (const name of [kept, '@duckdb/node-api'])
	try { duckdb = duckdb || (name && require(name)); } catch (e) { /* the next one */ }
if (!duckdb)
	process.exit(77);
(async () => {
	const connection = await (await duckdb.DuckDBInstance.create(':memory:')).connect();
	for (const row of (await connection.runAndReadAll(process.argv[2])).getRowsJson())
		console.log(JSON.stringify(row));
})().catch(e => { console.error(String(e)); process.exit(1); });
