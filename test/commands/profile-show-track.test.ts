/** The commands that look at one thing: profile, orders show, track; in every form, with success and failure. */

import { describe, expect, test } from "vitest";
import { interrupted } from "../../src/core/errors.ts";
import { answerData, requestCount } from "../support/answers.ts";
import { createServedHome, type ServedHome } from "../support/courier.ts";
import { createOrder } from "../support/orders.ts";
import { screenWidths, tooWide } from "../support/screens.ts";
import { Capture } from "../support/streams.ts";

interface Look {
  readonly words: (home: ServedHome) => Promise<string>;
  readonly path: string;
  readonly shows: string;
  readonly key: string;
}

const looks: Record<string, Look> = {
  profile: {
    words: async () => "profile",
    path: "/api/v1/user/profile",
    shows: "Sandbox Account",
    key: "api_calls_remaining",
  },
  "orders show": {
    words: async (home) => `orders show ${(await createOrder(home)).id}`,
    path: "/api/v1/orders/\\d+",
    shows: "广东省深圳市南山区",
    key: "payment_status",
  },
  track: {
    words: async (home) => `track ${(await createOrder(home)).tracking_number}`,
    path: "/api/v1/tracking/.+",
    shows: "订单已创建，等待付款",
    key: "records",
  },
};

describe.each(Object.entries(looks))("%s", (_name, { words, path, shows, key }) => {
  test.each([...screenWidths, undefined])("shows it to a person (columns: %s)", async (terminal) => {
    const home = await createServedHome();
    const options = terminal ? { terminal, env: { NO_COLOR: "1" } } : {};
    const { exit, stdout, stderr } = await home.courier(await words(home), options);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    expect(stdout).toContain(shows);
    if (terminal) expect(tooWide(stdout, terminal)).toEqual([]);
  });

  test("is one JSON document: compact in a pipe, pretty at a terminal, one line as NDJSON", async () => {
    const home = await createServedHome();
    const line = await words(home);
    const piped = await home.courier(`${line} --json`);
    const shown = await home.courier(`${line} --json`, { terminal: 80 });
    const ndjson = await home.courier(`${line} --ndjson`, { terminal: 80 });
    for (const { exit, stdout, stderr } of [piped, shown, ndjson]) {
      expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
      expect(JSON.parse(stdout)).toHaveProperty(key);
    }
    expect(piped.stdout.trimEnd()).not.toContain("\n");
    expect(ndjson.stdout.trimEnd()).not.toContain("\n");
    expect(shown.stdout).toMatch(/^\{\n {2}"/);
  });

  describe("fails with stdout empty and the reason on stderr:", () => {
    test.each([
      ["a 503 that lasts, after four tries", { kind: "status", status: 503 }, 5, "server_error", 4],
      ["a 500, which is not asked again", { kind: "status", status: 500 }, 5, "server_error", 1],
      ["too many calls", { kind: "rate_limit" }, 5, "rate_limited", 4],
      ["a dropped connection", { kind: "drop_before" }, 5, "no_response", 4],
      ["a web page", { kind: "garbage" }, 70, "not_json", 1],
      ["a wrong shape", { kind: "wrong_shape" }, 70, "wrong_shape", 1],
      ["a cut answer", { kind: "truncate" }, 5, "cut_short", 4],
      ["a redirect", { kind: "redirect", location: "https://elsewhere.example" }, 5, "redirected", 1],
      ["a refusal", { kind: "refuse", status: 403, code: "NOPE", message: "not you" }, 1, "refused", 1],
      [
        "a refusal under 200",
        { kind: "refuse", status: 200, code: "NOPE", message: "not you" },
        1,
        "refused",
        1,
      ],
    ] as const)("%s", async (_what, fault, exit, code, tries) => {
      const home = await createServedHome();
      const line = await words(home);
      const before = requestCount(home, "GET");
      home.sandbox.faults.set([{ ...fault, path }]);
      const failed = await home.courier(line);
      expect(failed).toMatchObject({ exit, stdout: "" });
      expect(failed.stderr).toMatch(/^error: [^\n]+\n(hint: [^\n]+\n)?$/);
      expect(requestCount(home, "GET") - before).toBe(tries);
      const { stdout, stderr } = await home.courier(`${line} --json`);
      expect(stdout).toBe("");
      expect(JSON.parse(stderr).error).toMatchObject({ code, exit });
    });
  });
});

test("three kinds of useless bodies are told apart, with status, type and first characters", async () => {
  const home = await createServedHome();
  const say = async (fault: object) => {
    home.sandbox.faults.set([{ method: "GET", ...fault } as never]);
    return (await home.courier("profile")).stderr;
  };
  expect(await say({ kind: "garbage" })).toMatch(
    /answered with something that is not JSON: HTTP 200, text\/html, “<!doctype html>/,
  );
  expect(await say({ kind: "truncate" })).toMatch(/was cut short: HTTP 200, application\/json, “\{"success"/);
  expect(await say({ kind: "wrong_shape" })).toMatch(
    /of the wrong shape: data should be an object, but is a string; HTTP 200, application\/json, “/,
  );
});

describe("orders show", () => {
  test("names what can be done now, with courier's command where there is one", async () => {
    const home = await createServedHome();
    const { id, tracking_number } = await createOrder(home);
    const pending = await home.courier(`orders show ${id}`);
    expect(pending.stdout).toContain(`cancel  courier orders cancel ${id}`);
    expect(pending.stdout).toMatch(/pay +with the service itself/);
    await home.sandbox.advance({ trackingNumber: tracking_number, to: "in_transit" });
    const onWay = await home.courier(`orders show ${id}`);
    expect(onWay.stdout).toContain(`track  courier track ${tracking_number}`);
  });

  test("an unknown order: exit 1 with the service's own code", async () => {
    const home = await createServedHome();
    const { stderr } = await home.courier("orders show 12345678901234567890 --json");
    expect(JSON.parse(stderr)).toEqual({
      error: {
        code: "refused",
        message: "the service refused: order 12345678901234567890 does not exist (NOT_FOUND)",
        status: 404,
        service_code: "NOT_FOUND",
        exit: 1,
      },
    });
  });
});

describe("track", () => {
  test("several parcels: each in its place, a refused one reported, exit 3", async () => {
    const home = await createServedHome();
    const one = (await createOrder(home)).tracking_number;
    const two = (await createOrder(home)).tracking_number;
    const line = `track ${one} CR000000000000 ${two}`;
    const json = await home.courier(`${line} --json`);
    expect(json.exit).toBe(3);
    const items = JSON.parse(json.stdout) as { tracking_number: string; error?: { code: string } }[];
    expect(items.map(({ tracking_number }) => tracking_number)).toEqual([one, "CR000000000000", two]);
    expect(items[1]?.error).toMatchObject({ code: "refused", service_code: "NOT_FOUND" });
    expect(JSON.parse(json.stderr).error).toMatchObject({
      code: "some_refused",
      message: "1 of 3 tracking numbers were refused",
      exit: 3,
    });
    const ndjson = await home.courier(`${line} --ndjson`);
    expect(
      ndjson.stdout
        .trimEnd()
        .split("\n")
        .map((text) => JSON.parse(text)),
    ).toEqual(items);
    const shown = await home.courier(line);
    expect(shown.exit).toBe(3);
    expect(shown.stdout).toMatch(
      /^CR000000000000 {2}refused +the service refused: tracking number CR000000000000/m,
    );
  });

  test("several parcels that are all known: exit 0, and nothing on stderr", async () => {
    const home = await createServedHome();
    const number = (await createOrder(home)).tracking_number;
    const { exit, stdout, stderr } = await home.courier(`track ${number} ${number} --json`);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    expect(JSON.parse(stdout)).toHaveLength(2);
  });

  test("records are shown in the service's order, and the present state stands in brackets", async () => {
    const home = await createServedHome();
    const record = (n: number) =>
      `{"location":"城${n}","description":"第${n}步","occurred_at":"2026-03-01T0${n}:00:00Z"}`;
    answerData(
      home,
      "GET /api/v1/tracking/T1",
      `{"tracking_number":"T1","status":"picked","records":[${[3, 2, 1].map(record)}]}`,
    );
    const { stdout } = await home.courier("track T1");
    expect(stdout).toContain("pending > paid > processing > [picked] > in_transit > ");
    expect(stdout.split("\n").slice(-4, -1)).toEqual([
      "* 2026-03-01T03:00:00Z  城3  第3步",
      "| 2026-03-01T02:00:00Z  城2  第2步",
      "| 2026-03-01T01:00:00Z  城1  第1步",
    ]);
  });

  test.each(["{}", '{"tracking_number":null,"status":"picked"}', '{"tracking_number":5}'])(
    "an answer that does not say which parcel it is of breaks the interface: %s",
    async (data) => {
      const home = await createServedHome();
      answerData(home, "GET /api/v1/tracking/T1", data);
      const { exit, stdout, stderr } = await home.courier("track T1 --json");
      expect({ exit, stdout }).toEqual({ exit: 70, stdout: "" });
      expect(JSON.parse(stderr).error.code).toBe("wrong_shape");
      expect(stderr).toContain("data.tracking_number should be a string");
    },
  );

  test("a number travels as one path segment, whatever is in it", async () => {
    const home = await createServedHome();
    for (const number of ["a/b", "../user/profile", "a?b#c", "50%", "单号"]) {
      home.sandbox.faults.set([]);
      answerData(home, "GET .*", JSON.stringify({ tracking_number: number }));
      expect((await home.courier(["track", number])).exit).toBe(0);
      expect(home.sandbox.requests.at(-1)?.path).toBe(`/api/v1/tracking/${encodeURIComponent(number)}`);
    }
  });

  test.each(["", " ", ".", ".."])("“%s” is no tracking number: exit 2, nothing sent", async (number) => {
    const home = await createServedHome();
    const { exit, stdout, stderr } = await home.courier(["track", number]);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toContain(`not a tracking number: “${number}”`);
    expect(home.sandbox.requests).toEqual([]);
  });
});

test.each([
  ['{"success":false,"error":"balance too low"}', "balance too low"],
  ['{"success":false,"message":"balance too low"}', "balance too low"],
  ['{"success":false,"errors":[{"name":"balance"}]}', '“[{"name":"balance"}]”'],
])("a refusal in a form of its own is shown: %s", async (body, said) => {
  const home = await createServedHome();
  const fault = { kind: "status", status: 400, body, contentType: "application/json" } as const;
  home.sandbox.faults.set([fault, fault]);
  const shown = await home.courier("profile");
  expect(shown).toMatchObject({ exit: 1, stderr: `error: the service refused: ${said}\n` });
  const { error } = JSON.parse((await home.courier("profile --json")).stderr);
  expect(JSON.stringify(error.details)).toContain("balance");
});

test("a refusal of any length and with any characters is cut at 1,000 characters as it is shown", async () => {
  const home = await createServedHome();
  const error = { code: "X", message: "m\u001b[2J\n\r\u202e".repeat(100_000) };
  const body = JSON.stringify({ success: false, error });
  home.sandbox.faults.set([{ kind: "status", status: 400, body, contentType: "application/json" }]);
  const { stderr } = await home.courier("profile");
  expect(stderr).toMatch(/^error: the service refused: m\\u001b\[2J\\n\\r\\u202em/);
  expect(stderr.length).toBeLessThan(1_010);
});

describe("an endless answer of a parcel", () => {
  const tracking = (location: string, movements: number) =>
    JSON.stringify({
      tracking_number: "CR1",
      status: "in_transit",
      current_location: location,
      records: Array.from({ length: movements }, (_, index) => ({
        location: "北京",
        description: `${index}`,
        occurred_at: "2026-03-01T08:00:00Z",
      })),
    });

  test.each([80, undefined])("150,000 movements are shown (columns: %s)", async (terminal) => {
    const home = await createServedHome();
    answerData(home, "GET /api/v1/tracking/CR1", tracking("北京", 150_000));
    const { exit, stdout, stderr } = await home.courier("track CR1", terminal ? { terminal } : {});
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    expect(stdout).toMatch(/ 149999\n$/);
  });

  test("Ctrl-C ends it while a terminal takes it, in the middle", async () => {
    const home = await createServedHome();
    answerData(home, "GET /api/v1/tracking/CR1", tracking("北京", 20_000));
    const stop = new AbortController();
    class Slow extends Capture {
      override _write(...[chunk, encoding, done]: Parameters<Capture["_write"]>) {
        super._write(chunk, encoding, done);
        stop.abort(interrupted(130));
      }
    }
    const stdout = new Slow(80);
    const { exit, stderr } = await home.courier("track CR1", { terminal: 80, signal: stop.signal, stdout });
    expect(exit).toBe(130);
    expect(stderr).toContain("interrupted\n");
    expect(stdout.bytes).toHaveLength(65_536);
  });

  test("a terminal gets the beginning of a text that no person reads to its end, a pipe all of it", async () => {
    const home = await createServedHome();
    const long = "👩‍👩‍👧".repeat(40_000);
    answerData(home, "GET /api/v1/tracking/CR1", tracking(long, 0));
    const shown = await home.courier("track CR1", { terminal: 80 });
    expect(shown.exit).toBe(0);
    expect(shown.stdout.replace(/\s+/g, " ")).toContain(`… (${long.length} characters; --json shows all)`);
    expect(shown.stdout.length).toBeLessThan(100_000);
    const piped = await home.courier("track CR1");
    expect(piped.stdout.split("👧")).toHaveLength(40_001);
  });
});

test("track --csv has the same columns in the same order for one parcel and for several", async () => {
  const home = await createServedHome();
  const numbers = [await createOrder(home), await createOrder(home)].map((order) => order.tracking_number);
  const one = await home.courier(`track --csv ${numbers[0]}`);
  const several = await home.courier(`track --csv ${numbers.join(" ")}`);
  const [heading, row] = several.stdout.split("\n");
  expect(one.stdout.split("\n")).toEqual([heading, row, ""]);
});

test("track --csv says why a parcel has no state", async () => {
  const home = await createServedHome();
  const { tracking_number } = await createOrder(home);
  const { exit, stdout } = await home.courier(`track ${tracking_number} NONE1 --csv`);
  expect(exit).toBe(3);
  const [heading, found, refused] = stdout.split("\n");
  expect(heading).toMatch(/,error\.code,error\.message$/);
  expect(found).toMatch(/,,$/);
  expect(refused).toBe(
    "NONE1,,,,,refused,the service refused: tracking number NONE1 does not exist (NOT_FOUND)",
  );
});

test.each([
  ["null", "track A1 A2"],
  ["null", "track A1 A2 --csv"],
  ['"none"', "track A1 A2"],
  ['"none"', "track A1 A2 --records"],
  ["null", "track A1 --changes"],
  ['"none"', "track A1 --changes"],
])(
  "a parcel without a state is shown although its answer has a field error: %s, %s",
  async (error, words) => {
    const home = await createServedHome();
    const records = '[{"location":"深圳","description":"collected","occurred_at":"2026-03-01T07:00:00Z"}]';
    for (const number of ["A1", "A2"])
      answerData(
        home,
        `GET /api/v1/tracking/${number}`,
        `{"tracking_number":"${number}","error":${error},"records":${records}}`,
      );
    const { exit, stdout, stderr } = await home.courier(words);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    expect(stdout).toMatch(/2026-03-01.07:00/);
  },
);

test.each(["track", "track --json", "track x"])(
  "a key in the place of a number is not sent in an address: %s",
  async (words) => {
    const home = await createServedHome();
    const { exit, stdout, stderr } = await home.courier(`${words} ${home.sandbox.apiKey}`);
    expect(exit).toBe(2);
    expect(`${stdout}${stderr}`).toContain("the API key stands where a number was expected");
    expect(`${stdout}${stderr}`).not.toContain(home.sandbox.apiKey);
    expect(home.sandbox.requests.map(({ path }) => path).join(" ")).not.toContain(home.sandbox.apiKey);
  },
);
