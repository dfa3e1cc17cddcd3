/**
 * The tests of `connected`: it decides whether a create may be sent again, so it must be false only
 * when not one byte of the request can have left, and true in every case of doubt.
 */

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import type { Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { NoAnswer } from "../../src/api/failure.ts";
import { systemCode } from "../../src/core/errors.ts";
import { freePort, listenHttp, listenRaw, noAnswerOf, openTransport, rawAnswer, requestTo } from "./wire.ts";

const create = {
  method: "POST",
  body: '{"item":{}}',
  headers: { "content-type": "application/json" },
} as const;

/** The client's ends of the connections that are made during a test. */
function watchClientSockets(): Socket[] {
  const sockets: Socket[] = [];
  const watch = (message: unknown) => sockets.push((message as { socket: Socket }).socket);
  subscribe("undici:client:connected", watch);
  onTestFinished(() => {
    unsubscribe("undici:client:connected", watch);
  });
  return sockets;
}

describe("never connected", () => {
  test("the port is refused", async () => {
    const url = new URL(`http://127.0.0.1:${await freePort()}/`);
    const failure = await noAnswerOf(openTransport().send(requestTo(url, create)));
    expect(failure.connected).toBe(false);
    expect(systemCode(failure.cause)).toBe("ECONNREFUSED");
  });

  test("refused at every address of a name", async () => {
    const url = new URL(`http://localhost:${await freePort()}/`);
    const failure = await noAnswerOf(openTransport().send(requestTo(url, create)));
    expect(failure.connected).toBe(false);
    expect(systemCode(failure.cause)).toBe("ECONNREFUSED");
  });

  test("the name does not exist", async () => {
    const failure = await noAnswerOf(
      openTransport().send(requestTo(new URL("http://nonexistent.invalid/"), create)),
    );
    expect(failure.connected).toBe(false);
    expect(systemCode(failure.cause)).toMatch(/^(ENOTFOUND|EAI_AGAIN)$/);
  });

  test("the connection closes in the middle of the TLS handshake", async () => {
    const { port } = await listenRaw((socket) => socket.destroy());
    const failure = await noAnswerOf(
      openTransport().send(requestTo(new URL(`https://127.0.0.1:${port}/`), create)),
    );
    expect(failure.connected).toBe(false);
  });

  test("no connection within the time for one", async () => {
    const { port } = await listenRaw(() => {}); // takes the TLS greeting and stays silent
    const failure = await noAnswerOf(
      openTransport({}, 50).send(requestTo(new URL(`https://127.0.0.1:${port}/`), create)),
    );
    expect(failure.connected).toBe(false);
    expect(systemCode(failure.cause)).toBe("UND_ERR_CONNECT_TIMEOUT");
  });

  test("stopped while connecting: at once, and as not connected", async () => {
    const stop = new AbortController();
    const { port } = await listenRaw(() => stop.abort(new Error("enough")));
    const url = new URL(`https://127.0.0.1:${port}/`);
    const startedMs = Date.now();
    const failure = await noAnswerOf(
      openTransport().send(requestTo(url, { ...create, signal: stop.signal })),
    );
    expect(failure).toMatchObject({ connected: false, cause: stop.signal.reason });
    expect(Date.now() - startedMs).toBeLessThan(2_000);
  });

  test("a request that cannot be written as HTTP", async () => {
    const { url } = await listenHttp((_request, response) => response.end());
    const headers = { authorization: "Bearer a\r\nx-evil: 1" };
    const failure = await noAnswerOf(openTransport().send(requestTo(url, { headers })));
    expect(failure.connected).toBe(false);
  });
});

describe("connected", () => {
  test("closed by the server before a byte of the request was read", async () => {
    const { url, connections } = await listenHttp(() => {});
    const sending = noAnswerOf(openTransport().send(requestTo(url, create)));
    while (connections.length === 0) await new Promise((resolve) => setImmediate(resolve));
    connections[0]?.resetAndDestroy();
    expect((await sending).connected).toBe(true);
  });

  test.each([
    ["reset", (socket: Socket) => socket.resetAndDestroy()],
    ["closed", (socket: Socket) => socket.end()],
    ["destroyed", (socket: Socket) => socket.destroy()],
  ])("%s after the first byte of the request", async (_how, drop) => {
    const { url } = await listenRaw(drop);
    const failure = await noAnswerOf(openTransport().send(requestTo(url, create)));
    expect(failure.connected).toBe(true);
    expect(systemCode(failure.cause)).toMatch(/^(UND_ERR_SOCKET|ECONNRESET|EPIPE)$/);
  });

  test("reset after the whole request was processed", async () => {
    const { url } = await listenHttp((request, response) => {
      request.resume().on("end", () => response.socket?.resetAndDestroy());
    });
    expect((await noAnswerOf(openTransport().send(requestTo(url, create)))).connected).toBe(true);
  });

  test.each(["EHOSTUNREACH", "ENETUNREACH", "ECONNREFUSED", "ENOTFOUND", "UND_ERR_ABORTED"])(
    "%s on a connection that was made, as when the network goes away",
    async (code) => {
      const sockets = watchClientSockets();
      const { url } = await listenHttp(() => {
        sockets[0]?.destroy(Object.assign(new Error("the network went away"), { code }));
      });
      expect((await noAnswerOf(openTransport().send(requestTo(url, create)))).connected).toBe(true);
    },
  );

  test.each(["HTTP/1.1 2", "HTTP/1.1 200 OK\r\nContent-Le", "220 mail.example ESMTP\r\n", "\0\0\0\r\n\r\n"])(
    "an answer whose head is %j",
    async (head) => {
      const { url } = await listenRaw((socket) => socket.end(head));
      expect((await noAnswerOf(openTransport().send(requestTo(url, create)))).connected).toBe(true);
    },
  );

  test("an answer whose head never ends", async () => {
    const { url } = await listenRaw((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${"x-more: 0123456789\r\n".repeat(10_000)}`);
    });
    expect((await noAnswerOf(openTransport().send(requestTo(url, create)))).connected).toBe(true);
  });

  test("an interim answer, then nothing", async () => {
    const { url } = await listenRaw((socket) => socket.end("HTTP/1.1 100 Continue\r\n\r\n"));
    expect((await noAnswerOf(openTransport().send(requestTo(url, create)))).connected).toBe(true);
  });
});

describe("stopped by the signal", () => {
  test("before it is sent: nothing leaves", async () => {
    const { url, connections } = await listenHttp((_request, response) => response.end());
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(openTransport().send(requestTo(url, { signal }))).rejects.toBe(signal.reason);
    expect(connections).toHaveLength(0);
  });

  test("by an error of the check at the moment of the write, which is no failure of the network", async () => {
    let requests = 0;
    const { url } = await listenHttp((_request, response) => {
      requests += 1;
      response.end("{}");
    });
    const reason = new Error("the ledger cannot be used");
    const mayLeave = () => {
      throw reason;
    };
    await expect(openTransport().send(requestTo(url, { ...create, mayLeave }))).rejects.toBe(reason);
    expect(requests).toBe(0);
  });

  test("while it waits for an answer: with the signal's reason, which is no NoAnswer", async () => {
    const stop = new AbortController();
    const { url } = await listenHttp(() => stop.abort(new Error("enough")));
    const sending = openTransport().send(requestTo(url, { ...create, signal: stop.signal }));
    const error = await sending.catch((reason: unknown) => reason);
    expect(error).toBe(stop.signal.reason);
    expect(error).not.toBeInstanceOf(NoAnswer);
  });

  test("while the body comes", async () => {
    const stop = new AbortController();
    const { url } = await listenHttp((_request, response) => {
      response.write('{"success":');
      setImmediate(() => stop.abort(new Error("enough")));
    });
    const sending = openTransport().send(requestTo(url, { signal: stop.signal }));
    await expect(sending).rejects.toThrow("enough");
  });
});

describe("kept connections", () => {
  test("are used again", async () => {
    const { url, connections } = await listenHttp((_request, response) => response.end("{}"));
    const transport = openTransport();
    for (let call = 0; call < 8; call++) await transport.send(requestTo(url));
    expect(connections.length).toBeLessThanOrEqual(2);
  });

  test("that the server has closed meanwhile are replaced, and the next request gets its answer", async () => {
    const { url, connections } = await listenRaw((socket, received) => {
      if (received.endsWith("\r\n\r\n")) socket.end(rawAnswer("{}", ["Connection: keep-alive"]));
    });
    const transport = openTransport();
    for (let call = 0; call < 3; call++) {
      const [socket] = connections.slice(-1);
      if (socket && !socket.closed) await once(socket, "close");
      expect(await transport.send(requestTo(url))).toMatchObject({ status: 200, body: "{}" });
    }
    expect(connections).toHaveLength(3);
  });

  test.each(["with the first", "in part with the first", "while nothing is asked"])(
    "on which an answer came that nobody asked for are not used again: %s",
    async (when) => {
      const sockets = watchClientSockets();
      const { url, connections } = await listenRaw((socket) => {
        const asked = rawAnswer('{"asked":1}', ["Connection: keep-alive"]);
        if (connections.length > 1) return socket.write(asked);
        const other = rawAnswer('{"other":1}', ["Connection: keep-alive"]);
        if (when !== "while nothing is asked")
          socket.write(asked + (when === "with the first" ? other : "H"));
        else socket.write(asked, () => setImmediate(() => socket.write(other)));
      });
      const transport = openTransport();
      expect((await transport.send(requestTo(url, create))).body).toBe('{"asked":1}');
      if (when === "while nothing is asked" && !sockets[0]?.closed) await once(sockets[0] as Socket, "close");
      expect((await transport.send(requestTo(url, create))).body).toBe('{"asked":1}');
      expect(connections).toHaveLength(2);
    },
  );

  test("that close just as a create goes out leave it in doubt: it is not sent a second time", async () => {
    let creates = 0;
    const { url } = await listenHttp((request, response) => {
      if (request.method === "POST") creates += 1;
      if (creates > 0) response.socket?.destroy();
      else response.end("{}");
    });
    const transport = openTransport();
    await transport.send(requestTo(url));
    expect((await noAnswerOf(transport.send(requestTo(url, create)))).connected).toBe(true);
    expect(creates).toBe(1);
  });
});
