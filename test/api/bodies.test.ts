/** The tests of how much of an answer is read: whole, cut short, or too large. */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { listenHttp, listenRaw, openTransport, rawAnswer, requestTo } from "./wire.ts";

const mebibyte = 1024 * 1024;

test("a whole answer: status, headers in small letters, body", async () => {
  const { url } = await listenHttp((_request, response) => {
    response.writeHead(418, { "X-Mixed-Case": "Yes", "Set-Cookie": ["a=1", "b=2"] });
    response.end('{"name":"张三"}');
  });
  const answer = await openTransport().send(requestTo(url));
  expect(answer).toMatchObject({ status: 418, body: '{"name":"张三"}' });
  expect(answer.headers).toMatchObject({ "x-mixed-case": "Yes", "set-cookie": "a=1, b=2" });
  expect(answer).not.toHaveProperty("cut");
});

test("the head is told of before the body has come", async () => {
  let end = () => {};
  const { url } = await listenHttp((_request, response) => {
    response.write("[");
    end = () => response.end("]");
  });
  const answer = await openTransport().send(requestTo(url, { begun: () => end() }));
  expect(answer.body).toBe("[]");
});

test("characters that are split between chunks arrive whole, and a byte order mark is dropped", async () => {
  const { url } = await listenHttp(async (_request, response) => {
    for (const byte of Buffer.from("\ufeff深圳🚚")) {
      response.write(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  });
  expect((await openTransport().send(requestTo(url))).body).toBe("深圳🚚");
});

test("what is sent: method, path, headers and body, and no others of our own making", async () => {
  const { url } = await listenHttp((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      const { method, url: path, headers } = request;
      response.end(JSON.stringify({ method, path, headers, body }));
    });
  });
  const target = new URL("/a%2Fb?q=%E5%BC%A0", url);
  const { body } = await openTransport().send(
    requestTo(target, { method: "POST", headers: { "x-a": "1" }, body: "张" }),
  );
  expect(JSON.parse(body)).toEqual({
    method: "POST",
    path: "/a%2Fb?q=%E5%BC%A0",
    headers: {
      host: url.host,
      connection: "keep-alive",
      "content-length": "3",
      "accept-encoding": "gzip, br",
      "x-a": "1",
    },
    body: "张",
  });
});

describe("cut short", () => {
  test.each([
    ["fewer bytes than announced", 'HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"success":true'],
    [
      "a chunk that does not end",
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{"success":true',
    ],
    ["no last chunk", 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nf\r\n{"success":true\r\n'],
  ])("%s", async (_how, wire) => {
    const { url } = await listenRaw((socket) => socket.end(wire));
    expect(await openTransport().send(requestTo(url))).toMatchObject({
      status: 200,
      body: '{"success":true',
      cut: "dropped",
    });
  });

  test("reset in the middle of the body", async () => {
    const { url } = await listenRaw((socket) => {
      socket.write('HTTP/1.1 503 No\r\nContent-Length: 99\r\n\r\n{"succ', () => {
        setTimeout(() => socket.resetAndDestroy(), 20);
      });
    });
    expect(await openTransport().send(requestTo(url))).toMatchObject({ status: 503, cut: "dropped" });
  });

  test("without any length, the end of the connection is the end of the body", async () => {
    const { url } = await listenRaw((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n{"success":true}'));
    const answer = await openTransport().send(requestTo(url));
    expect(answer.body).toBe('{"success":true}');
    expect(answer.cut).toBeUndefined();
  });
});

describe("size", () => {
  test("an endless body is left after the bound", async () => {
    let sentBytes = 0;
    const { url } = await listenHttp((_request, response) => {
      const chunk = Buffer.alloc(mebibyte, "x");
      const pump = () => {
        while (!response.destroyed) {
          sentBytes += chunk.length;
          if (!response.write(chunk)) return;
        }
      };
      response.on("drain", pump);
      pump();
    });
    const answer = await openTransport().send(requestTo(url));
    expect(answer).toMatchObject({ status: 200, cut: "too_large" });
    expect(answer.body.length).toBeLessThanOrEqual(16 * mebibyte);
    const atEndBytes = sentBytes;
    expect(atEndBytes).toBeLessThan(24 * mebibyte);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(sentBytes - atEndBytes).toBeLessThan(8 * mebibyte);
  });

  test("pieces of a byte do not keep the buffers that they came in", async () => {
    const pieces = 16_384;
    const piece = `1;${"e".repeat(4_000)}\r\n \r\n`;
    const { url } = await listenRaw((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
      for (let part = 0; part < pieces; part += 256) socket.write(piece.repeat(256));
    });
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    collect();
    const beforeBytes = process.memoryUsage().arrayBuffers;
    const leaving = new AbortController();
    let left = pieces;
    await new Promise<void>((resolve) => {
      const received = () => {
        left -= 1;
        if (left === 0) resolve();
      };
      openTransport()
        .send({ ...requestTo(url), signal: leaving.signal, received })
        .catch(() => {});
    });
    const keptBytes = () => process.memoryUsage().arrayBuffers - beforeBytes;
    for (let turn = 0; turn < 50 && keptBytes() > 8 * mebibyte; turn++) {
      await new Promise(setImmediate); // what is being sent and read needs some turns to be let go
      collect();
    }
    expect(keptBytes()).toBeLessThan(8 * mebibyte);
    leaving.abort();
  });

  test("a body that is announced as too large is not awaited", async () => {
    const { url, connections } = await listenRaw((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${1024 ** 4}\r\n\r\n`);
      for (let part = 0; part < 17; part++) socket.write(Buffer.alloc(mebibyte, "x"));
    });
    expect(await openTransport().send(requestTo(url))).toMatchObject({ cut: "too_large" });
    const [socket] = connections;
    if (socket && !socket.destroyed) await new Promise((resolve) => socket.once("close", resolve));
    expect(socket?.destroyed).toBe(true);
  });

  test("a large body within the bound is read whole", async () => {
    const body = `"${"x".repeat(15 * mebibyte)}"`;
    const { url } = await listenRaw((socket) => socket.write(rawAnswer(body)));
    const answer = await openTransport().send(requestTo(url));
    expect(answer.cut).toBeUndefined();
    expect(answer.body.length).toBe(body.length);
  });
});

describe("encoded", () => {
  const text = '{"success":true,"name":"张三"}';
  const whole = Buffer.from(text);

  function listenEncoded(encoding: string, body: Buffer) {
    return listenHttp((_request, response) => {
      response.writeHead(200, { "Content-Encoding": encoding, "Content-Length": body.length }).end(body);
    });
  }

  test.each([
    ["gzip", gzipSync(whole)],
    ["x-gzip", gzipSync(whole)],
    ["GZIP", gzipSync(whole)],
    ["br", brotliCompressSync(whole)],
    ["deflate", deflateSync(whole)],
    ["deflate", deflateRawSync(whole)],
    ["identity", whole],
    ["gzip, br", brotliCompressSync(gzipSync(whole))],
  ])("as %s, it is read as if it were not", async (encoding, body) => {
    const { url } = await listenEncoded(encoding, body);
    const answer = await openTransport().send(requestTo(url));
    expect(answer.body).toBe(text);
    expect(answer.cut).toBeUndefined();
  });

  test.each([
    ["gzip", gzipSync(whole).subarray(0, 11)],
    ["deflate", deflateSync(whole).subarray(0, 3)],
    ["br", brotliCompressSync(whole).subarray(0, 3)],
  ])(
    "as %s, and cut where nothing can be made of it yet: that is no empty answer",
    async (encoding, body) => {
      const { url } = await listenEncoded(encoding, body);
      expect(await openTransport().send(requestTo(url))).toMatchObject({ cut: "undecodable", body: "" });
    },
  );

  test.each(["gzip", "br"])("as %s, and empty: it is read", async (encoding) => {
    const empty = Buffer.alloc(0);
    const { url } = await listenEncoded(
      encoding,
      encoding === "br" ? brotliCompressSync(empty) : gzipSync(empty),
    );
    const answer = await openTransport().send(requestTo(url));
    expect([answer.body, answer.cut]).toEqual(["", undefined]);
  });

  test.each([
    ["gzip", whole],
    ["br", Buffer.alloc(64, 0xff)],
    ["zstd", whole],
    ["constructor", whole],
    ["gzip, gzip, gzip, gzip", gzipSync(gzipSync(gzipSync(gzipSync(whole))))],
  ])("as %s, but not so, or not in a way that was asked for", async (encoding, body) => {
    const { url } = await listenEncoded(encoding, body);
    expect(await openTransport().send(requestTo(url))).toMatchObject({ body: "", cut: "undecodable" });
  });

  test("cut short before it was sent: it is read as far as it goes", async () => {
    const packed = gzipSync(Buffer.from(JSON.stringify(Array.from({ length: 1_000 }, Math.random))));
    const { url } = await listenEncoded("gzip", packed.subarray(0, packed.length / 2));
    const { body } = await openTransport().send(requestTo(url));
    expect(body.startsWith("[0.")).toBe(true);
    expect(body.length).toBeGreaterThan(packed.length / 4);
  });

  test.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
  ])("as %s, much larger than it looks", async (encoding, pack) => {
    const bomb = pack(Buffer.alloc(64 * mebibyte));
    expect(bomb.length).toBeLessThan(mebibyte);
    const { url } = await listenEncoded(encoding, bomb);
    expect(await openTransport().send(requestTo(url))).toMatchObject({ body: "", cut: "too_large" });
  });
});

test("redirects are not followed", async () => {
  let calls = 0;
  const { url } = await listenHttp((_request, response) => {
    calls += 1;
    response.writeHead(302, { location: "/elsewhere" }).end();
  });
  expect(await openTransport().send(requestTo(url))).toMatchObject({
    status: 302,
    headers: { location: "/elsewhere" },
  });
  expect(calls).toBe(1);
});
