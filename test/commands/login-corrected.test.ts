/** A login whose base URL or key is not quite right: corrected and told, or asked for again alone. */

import { describe, expect, test } from "vitest";
import { readConfigText } from "../support/config-file.ts";
import { createHome, createServedHome } from "../support/courier.ts";
import { scriptedPrompts } from "../support/scripted-prompts.ts";

const nothing = { COURIER_API_KEY: "", COURIER_BASE_URL: "" };
const [askedUrl, askedKey] = ["Base URL of the service", "API key (hidden)"];

describe("a base URL as people type it is corrected, and said", () => {
  test.each([
    [
      "https://api.example.com/api/v1",
      "https://api.example.com",
      "/api/v1 left out, which courier adds itself",
    ],
    ["https://api.example.com/eu/api/v1/", "https://api.example.com/eu", "/api/v1 left out"],
    ["api.example.com", "https://api.example.com", "https:// added"],
    ["api.example.com:8443/eu", "https://api.example.com:8443/eu", "https:// added"],
    ["localhost.example.com", "https://localhost.example.com", "https:// added"],
    ["localhost:4010", "http://localhost:4010", "http:// added"],
    ["127.0.0.1:4010/api/v1", "http://127.0.0.1:4010", "http:// added; /api/v1 left out"],
    ["10.0.0.5:8080", "https://10.0.0.5:8080", "https:// added"],
  ])("%s", async (typed, baseUrl, told) => {
    const home = await createHome();
    const words = ["login", "--no-verify", "--base-url", typed];
    const { exit, stderr } = await home.courier(words, { stdin: "some-key-12345" });
    expect(exit).toBe(0);
    expect(stderr).toContain(`The base URL is ${baseUrl} (${told}`);
    expect(JSON.parse(await readConfigText(home)).accounts.default.base_url).toBe(baseUrl);
  });

  test.each([
    ["http://api.example.com/api/v1", "is plain http"],
    ["some-key-12345", "is not a URL"],
    ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "is not a URL"],
    ["user:password@api.example.com", "is not a URL"],
  ])("not %s", async (typed, message) => {
    const home = await createHome();
    const words = ["login", "--no-verify", "--base-url", typed];
    const { exit, stderr } = await home.courier(words, { stdin: "some-key-12345" });
    expect(exit).toBe(2);
    expect(stderr).toContain(message);
    if (!typed.includes("://")) expect(stderr).not.toContain(typed);
    await expect(readConfigText(home)).rejects.toThrow("ENOENT");
  });

  test("a URL that needs no correction is not spoken of", async () => {
    const home = await createHome();
    const words = "login --no-verify --base-url https://api.example.com/";
    expect((await home.courier(words, { stdin: "some-key-12345" })).stderr).not.toContain("The base URL is");
  });
});

describe("at a terminal only what was wrong is asked for again", () => {
  test("a base URL where no service is: the key is kept", async () => {
    const home = await createServedHome();
    const { baseUrl, apiKey } = home.sandbox;
    const prompts = scriptedPrompts({ texts: [`${baseUrl}/shop`, baseUrl], secrets: [apiKey] });
    const { exit, stderr } = await home.courier("login", { terminal: 80, prompts, env: nothing });
    expect(exit).toBe(0);
    expect(prompts.asked).toEqual([askedUrl, askedKey, askedUrl]);
    expect(stderr.replaceAll(/\s+/g, " ")).toContain(`which may be ${baseUrl} without /shop`);
    expect(JSON.parse(await readConfigText(home)).accounts.default.base_url).toBe(baseUrl);
  });

  test("a key that is cut off: the base URL is kept", async () => {
    const home = await createServedHome();
    const { baseUrl, apiKey } = home.sandbox;
    const prompts = scriptedPrompts({ texts: [baseUrl], secrets: ["abc", `  ${apiKey} `] });
    const { exit, stderr } = await home.courier("login", { terminal: 80, prompts, env: nothing });
    expect(exit).toBe(0);
    expect(prompts.asked).toEqual([askedUrl, askedKey, askedKey]);
    expect(stderr).toContain("the API key is too short");
    expect(JSON.parse(await readConfigText(home)).accounts.default.key).toBe(apiKey);
  });

  test("a service that fails for a while is no reason to type anything else", async () => {
    const home = await createServedHome();
    home.sandbox.faults.set([{ kind: "status", status: 400, times: 1 }]);
    const prompts = scriptedPrompts({ texts: [home.sandbox.baseUrl], secrets: [home.sandbox.apiKey] });
    const { exit } = await home.courier("login", { terminal: 80, prompts, env: nothing });
    expect(exit).toBe(1);
    expect(prompts.asked).toEqual([askedUrl, askedKey]);
  });
});

test("in a script, a wrong path in the base URL is pointed at", async () => {
  const home = await createServedHome();
  const { baseUrl, apiKey } = home.sandbox;
  const { exit, stderr } = await home.courier(`login --base-url ${baseUrl}/shop`, {
    stdin: apiKey,
    env: nothing,
  });
  expect(exit).not.toBe(0);
  expect(stderr).toContain(
    `hint: nothing was stored; check the base URL ${baseUrl}/shop, which may be ${baseUrl} without /shop\n`,
  );
  await expect(readConfigText(home)).rejects.toThrow("ENOENT");
});
