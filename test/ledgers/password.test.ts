/** A shared ledger whose password a program prints, with a real PostgreSQL that asks for one. */

import { existsSync } from "node:fs";
import { chmod, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { putConfig, putShop, readConfigText } from "../support/config-file.ts";
import { createImportHome, errorOf, outcomes, row, sheet } from "../support/imports.ts";
import { plainDraft } from "../support/orders.ts";
import { type PostgresServer, postgresPrograms, startPostgres } from "../support/postgres.ts";
import { createServedProcessHome, until } from "../support/process.ts";

const password = "pg-Marker-5ecret";

describe.skipIf(postgresPrograms === undefined)("with a server", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
    await server.query(`CREATE USER shop PASSWORD '${password}'`);
    const [settings] = await server.query("SHOW hba_file");
    const rules = "host all shop 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n";
    await writeFile(String(settings?.hba_file), rules);
    await server.query("SELECT pg_reload_conf()");
  });
  afterAll(() => server.remove());

  async function createShop() {
    const home = await createImportHome(sheet(row("A-1", "李一"), row("A-2", "李二")));
    await putShop(home, home.sandbox);
    const made = new URL(await server.createDatabase());
    await server.query(`ALTER DATABASE ${made.pathname.slice(1)} OWNER TO shop`);
    made.username = "shop";
    return { ...home, address: made.href };
  }

  const env = { COURIER_API_KEY: "", COURIER_BASE_URL: "" };
  const printing = (text: string) => `${process.execPath} -p '${JSON.stringify(text)}'`;

  test("--password-command prints it, for this command and for those after it", async () => {
    const home = await createShop();
    // The password itself must not stand in the command.
    const backwards = JSON.stringify([...password].reverse().join(""));
    const command = `${process.execPath} -p '[...${backwards}].reverse().join(String())'`;
    const used = await home.courier(["ledger", "use", home.address, "--password-command", command], { env });
    expect(used.stderr).toBe("");
    expect(used.exit).toBe(0);
    expect(await readConfigText(home)).not.toContain(password);

    expect(outcomes((await home.run("", { env })).report)).toBe("created created");
    const { stdout } = await home.courier("ledger status --json", { env });
    expect(JSON.parse(stdout)).toMatchObject({ shared: true, operations: 2 });
  });

  test("a person may take longer to unlock it than the server has to answer", async () => {
    const home = await createShop();
    const at = (name: string) => path.join(home.directory, name);
    const backwards = JSON.stringify([...password].reverse().join(""));
    const wait = `require("fs").writeFileSync("${at("asked")}", ""); const look = setInterval(() => { if (!require("fs").existsSync("${at("unlocked")}")) return; clearInterval(look); console.log([...${backwards}].reverse().join("")); }, 20);`;
    await writeFile(at("ask.cjs"), wait);
    const command = `${process.execPath} ${at("ask.cjs")}`;
    await writeFile(at("unlocked"), "");
    const used = await home.courier(["ledger", "use", home.address, "--password-command", command], { env });
    expect(used.exit, used.stderr).toBe(0);
    for (const name of ["unlocked", "asked"]) await rm(at(name));
    const status = home.courier("ledger status", { env });
    await until("the program asks", () => existsSync(at("asked")));
    home.clock.advance(40_000);
    await new Promise((resolve) => setImmediate(resolve));
    await writeFile(at("unlocked"), "");
    const { exit, stderr } = await status;
    expect(exit, stderr).toBe(0);
  });

  test("another program takes the place of one that is gone, as the hint says", async () => {
    const home = await createShop();
    const backwards = JSON.stringify([...password].reverse().join(""));
    const use = async (name: string) => {
      const script = path.join(home.directory, name);
      await writeFile(script, `console.log([...${backwards}].reverse().join(""))`);
      const words = ["ledger", "use", home.address, "--password-command", `${process.execPath} ${script}`];
      return home.courier(words, { env });
    };
    expect((await use("old.cjs")).exit).toBe(0);
    expect(outcomes((await home.run("", { env })).report)).toBe("created created");
    await rm(path.join(home.directory, "old.cjs"));
    const { exit, stderr } = await home.courier("ledger status", { env });
    expect(exit).toBe(4);
    expect(stderr).toContain("courier ledger use ADDRESS --password-command");
    const used = await use("new.cjs");
    expect([used.exit, used.stderr]).toEqual([0, ""]);
    expect(outcomes((await home.run("", { env })).report)).toBe("shipped shipped");
    expect(await readConfigText(home)).toContain("new.cjs");
  });

  test("a search waits for the program as long as it asks a person", async () => {
    const home = await createShop();
    const [asked, answered] = ["asked", "answered"].map((name) => path.join(home.directory, name));
    const backwards = JSON.stringify([...password].reverse().join(""));
    const script = path.join(home.directory, "ask.cjs");
    const wait = `require("node:fs").writeFileSync(${JSON.stringify(asked)}, "");
      const look = () => require("node:fs").existsSync(${JSON.stringify(answered)})
        ? console.log([...${backwards}].reverse().join("")) : setTimeout(look, 5);
      look();`;
    await writeFile(script, wait);
    await writeFile(answered ?? "", "");
    const words = ["ledger", "use", home.address, "--password-command", `${process.execPath} ${script}`];
    expect((await home.courier(words, { env })).exit).toBe(0);
    expect(outcomes((await home.run("", { env })).report)).toBe("created created");
    for (const mark of [asked, answered]) await rm(mark ?? "");
    const searched = home.courier("find 李", { env });
    await until("the program asks", () => existsSync(asked ?? ""));
    home.clock.advance(5_000);
    await writeFile(answered ?? "", "");
    const { exit, stdout, stderr } = await searched;
    expect([exit, stderr], stderr).toEqual([0, expect.not.stringContaining("does not answer")]);
    expect(stdout).toContain("李二");
  });

  test("PGPASSFILE has it: nothing else is said, and a file that others may read is not used", async () => {
    const home = await createServedProcessHome();
    const { pathname, port } = new URL(await server.createDatabase());
    await server.query(`ALTER DATABASE ${pathname.slice(1)} OWNER TO shop`);
    const file = path.join(home.directory, "pgpass");
    await writeFile(file, `127.0.0.1:${port}:*:shop:${password}\n`, { mode: 0o600 });
    const address = `postgres://shop@127.0.0.1:${port}${pathname}`;
    const status = () =>
      home.courier("ledger status --json", { env: { COURIER_LEDGER: address, PGPASSFILE: file } });
    const ran = await status();
    expect([ran.exit, ran.stderr]).toEqual([0, ""]);
    expect(JSON.parse(ran.stdout)).toMatchObject({ shared: true });
    await chmod(file, 0o644);
    const refused = await status();
    expect(refused.exit).toBe(5);
    expect(JSON.parse(refused.stderr).error).toMatchObject({
      message: expect.stringContaining("it asks for a password"),
      hint: expect.stringContaining("chmod 600 ~/.pgpass"),
    });
  });

  test("people read the address and the command apart; JSON has the address that was kept", async () => {
    const home = await createShop();
    const command = `${process.execPath} -p "'pg-Marker-' + '5ecret'"`;
    const used = await home.courier(["ledger", "use", home.address, "--password-command", command], { env });
    expect([used.exit, used.stderr]).toEqual([0, ""]);
    expect(used.stdout).toContain(`records its orders in ${home.address}\n`);
    const { stdout } = await home.courier("ledger status", { env });
    expect(stdout).toMatch(new RegExp(`^Ledger +${home.address}$`, "m"));
    expect(stdout).toMatch(/^Password +printed by .*node -p /m);
    const doctor = await home.courier("doctor", { env });
    expect(doctor.stdout).toContain(home.address);
    expect(doctor.stdout).not.toContain("passwordcommand");
    const json = await home.courier("ledger status --json", { env });
    expect(JSON.parse(json.stdout).ledger).toContain(`${home.address}?passwordcommand=`);
  });

  test("status shows no token that is in the command", async () => {
    const home = await createShop();
    const open = new URL(home.address);
    open.username = "courier"; // the server asks for no password
    open.searchParams.set("passwordcommand", "vault-read --token hvs5CAESIJ4tokentoken99 courier");
    const { stdout } = await home.courier("ledger status", { env: { ...env, COURIER_LEDGER: open.href } });
    expect(stdout).toMatch(/^Password +printed by vault-read --token \[redacted\] courier$/m);
  });

  test("nor does a hint, also of another account or a move", async () => {
    const home = await createShop();
    const { baseUrl, apiKey } = home.sandbox;
    const stored = { base_url: baseUrl, key: apiKey };
    await putConfig(home, { current: "shop", accounts: { shop: stored, till: stored } });
    const token = "hvs5CAESIJ4tokentoken99";
    const open = new URL(home.address);
    open.username = "courier"; // the server asks for no password
    const script = path.join(home.directory, "vault.cjs");
    await writeFile(script, "console.log('some-password')");
    const command = `${process.execPath} ${script} --token ${token}`;
    const at = async (exit: number, ...words: string[]) => {
      const ran = await home.courier(words, { env, stdin: JSON.stringify(plainDraft) });
      expect(ran.exit, ran.stderr).toBe(exit);
      const said = ran.stdout + ran.stderr;
      expect(said).not.toContain(token);
      return said;
    };
    const create = ["orders", "create", "--file", "-", "--account", "till", "--json"];
    const toldTo = /ledger use '?\S+passwordcommand=COMMAND\b/;
    await at(0, ...create, "--ref", "R-1");
    const use = ["ledger", "use", open.href, "--new", "--yes", "--password-command", command];
    expect(await at(0, ...use)).toMatch(toldTo);
    expect(await at(0, "ledger", "status", "--account", "till")).toMatch(toldTo);
    expect(await at(5, ...create, "--ref", "R-2")).toMatch(toldTo);
    const elsewhere = await server.createDatabase();
    expect(await at(2, "ledger", "move", elsewhere, "--yes")).toMatch(toldTo);
  });

  test("the hint after a removal can be followed where the command names a variable with a digit", async () => {
    const home = await createShop();
    const given = { ...env, PATH: process.env.PATH ?? "", SHOP2_LEDGER: password };
    const at = async (exit: number, words: readonly string[], stdin = "") => {
      const ran = await home.courier(words, { env: given, stdin });
      expect(ran.exit, ran.stderr).toBe(exit);
      return ran;
    };
    const create = "orders create --file - --json --ref".split(" ");
    const draft = JSON.stringify(plainDraft);
    const program = ["--password-command", "printenv SHOP2_LEDGER"];
    await at(0, ["ledger", "use", home.address, "--account", "shop", ...program]);
    await at(0, [...create, "R-1"], draft);
    await at(0, ["accounts", "remove", "shop", "--yes"]);
    await putShop(home, home.sandbox);
    const { hint } = errorOf(await at(5, [...create, "R-2"], draft));
    const words =
      /courier (ledger use .*?);/.exec(String(hint))?.[1]?.replaceAll(/['"]/g, "").split(" ") ?? [];
    await at(0, words);
    await at(0, [...create, "R-2"], draft);
  });

  test("a program that fails is refused also where the server asks for no password", async () => {
    const home = await createShop();
    const open = new URL(home.address);
    open.username = "postgres";
    const command = `${process.execPath} -e 'process.exit(3)'`;
    const words = ["ledger", "use", open.href, "--password-command", command, "--json"];
    const ran = await home.courier(words, { env });
    expect(errorOf(ran).message).toContain("the password command of the ledger failed (3)");
    expect(await readConfigText(home)).not.toContain("postgres:");
  });

  test.each([
    ["prints another one", `${process.execPath} -p '"wrong".repeat(9)'`, 5, "it refuses the password"],
    ["prints nothing", printing(""), 4, "the password command of the ledger prints nothing"],
    ["prints more than it", printing("one\ntwo"), 4, "prints more than one line"],
    ["fails", `${process.execPath} -e 'process.exit(3)'`, 4, "the password command of the ledger failed (3)"],
    ["does not exist", "no-such-program show it", 2, "cannot be started: no-such-program"],
  ])("a program that %s: nothing is changed", async (_name, command, exit, message) => {
    const home = await createShop();
    const ran = await home.courier(["ledger", "use", home.address, "--password-command", command, "--json"], {
      env,
    });
    expect([ran.exit, errorOf(ran).message]).toEqual([exit, expect.stringContaining(message)]);
    expect(await readConfigText(home)).not.toContain("postgres:");
  });

  test("a command that has the password in it is refused", async () => {
    const home = await createShop();
    const words = ["ledger", "use", home.address, "--password-command", `echo ${password}`, "--json"];
    const ran = await home.courier(words, { env });
    expect(errorOf(ran)).toMatchObject({ code: "key_on_command_line" });
    expect(ran.stderr).not.toContain(password);
  });

  test("without a program that prints it, the error says where it can be given", async () => {
    const home = await createShop();
    const ran = await home.courier(["ledger", "use", home.address, "--json"], { env });
    expect(ran.exit).toBe(5);
    expect(errorOf(ran)).toMatchObject({ message: expect.stringContaining("it asks for a password") });
    expect(errorOf(ran).hint).toContain("--password-command");
  });
});
