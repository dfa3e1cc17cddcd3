/** An order of another machine, at a service that shows its fields in other forms than they were sent: it holds its row. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { effort } from "../support/effort.ts";
import { outcomes } from "../support/imports.ts";
import type { Rewriting, Shown } from "../support/shown-order.ts";
import { joinAddress } from "../support/shown-order.ts";
import { createUnfaithfulHome } from "../support/unfaithful-service.ts";

const sender = { name: "张三", phone: "13800138000", city: "深圳市", detail: "科技园1号" };
const item = { name: "Tea set, deep blue with gold", quantity: 1 };
const people = [
  { name: "José Peña", phone: "13900130000", city: "北京市", district: "朝阳区", detail: "建国路88号" },
  {
    name: "Li Wei",
    phone: "+86 139-0013-9123",
    city: "杭州市",
    district: "西湖区",
    detail: "Müllerstraße 5",
  },
  { name: "李小四", phone: "0571-85776000", city: "成都市", district: "武侯区", detail: "人民南路四段11号" },
];
const another = {
  name: "王五",
  phone: "13711112222",
  city: "上海市",
  district: "徐汇区",
  detail: "漕溪路2号",
};

const bare = (text: string) => text.normalize("NFD").replace(/\p{M}/gu, "");
const kept = (text: string) => text;
const hidden = () => "***";
const missing = () => undefined;

type Change = (text: string) => string | undefined;

/** `tells`: what is shown still names that value. */
interface Form {
  readonly how: string;
  readonly change: Change;
  readonly tells: boolean;
}

const form = (how: string, change: Change, tells = false): Form => ({ how, change, tells });
const names = [
  form("kept", kept, true),
  form("masked", (text) => `${[...text][0]}**`, true),
  form("hidden", hidden),
  form("missing", missing),
  form("without accents", bare),
  form("cut", (text) => [...text].slice(0, 2).join("")),
  form("in another order", (text) => text.split(" ").toReversed().join(" ")),
];
const phones = [
  form("kept", kept, true),
  form("masked", (text) => `${text.slice(0, -7)}****${text.slice(-3)}`, true),
  form("last digits", (text) => text.slice(-4), true),
  form("hidden", hidden),
  form("missing", missing),
];
const addresses = [
  form("kept", kept, true),
  form("masked", (text) => `${text.slice(0, 7)}****`, true),
  form("cut", (text) => text.slice(0, 8), true),
  form("with a postcode", (text) => `${text} 100000`, true),
  form("with the country", (text) => `中国${text}`, true),
  form("without accents", bare, true),
  form("in capital letters", (text) => text.toUpperCase(), true),
  form("hidden", hidden),
  form("missing", missing),
];
const goods = [
  form("kept", kept, true),
  form("one for all", () => "general goods"),
  form("cut", (text) => text.slice(0, 7)),
  form("hidden", hidden),
  form("missing", missing),
];

const change = ({ change }: Form, shown: Shown): Shown =>
  typeof shown === "string" && shown !== "" ? change(shown) : shown;

interface Forms {
  readonly name: Form;
  readonly phone: Form;
  readonly address: Form;
  readonly goods: Form;
}

function showIn(forms: Forms): Rewriting {
  return ({ receiver, item: shown, ...order }) => ({
    ...order,
    receiver: receiver && {
      name: change(forms.name, receiver.name),
      phone: change(forms.phone, receiver.phone),
      city: receiver.city,
      address: change(forms.address, joinAddress(receiver)),
    },
    item: shown && { ...shown, name: change(forms.goods, shown.name) },
  });
}

const corrections = {
  none: {},
  name: { name: "欧阳" },
  phone: { phone: "18622223333" },
  address: { city: "广州市", district: "天河区", detail: "体育西路7号" },
};

/** What docs/never-twice.md promises. */
function isPromised(forms: Forms, corrected: keyof typeof corrections): boolean {
  const fields = ["name", "phone", "address"] as const;
  const count = fields.filter((field) => forms[field].tells && field !== corrected).length;
  // The list shows another name, and other goods.
  if (
    corrected === "name" &&
    !forms.goods.tells &&
    forms.goods.change("x") !== "***" &&
    forms.goods.change("x")
  )
    return false;
  if (count >= 2) return true;
  if (corrected !== "none") return false;
  return forms.name.change === kept || (count === 1 && forms.goods.tells);
}

const forms = fc.record({
  name: fc.constantFrom(...names),
  phone: fc.constantFrom(...phones),
  address: fc.constantFrom(...addresses),
  goods: fc.constantFrom(...goods),
});

test("holds its row where enough is shown, and no row of another receiver", async () => {
  const corrected = fc.constantFrom("none", "none", "name", "phone", "address" as const);
  await fc.assert(
    fc.asyncProperty(forms, fc.constantFrom(...people), corrected, async (shown, receiver, field) => {
      fc.pre(isPromised(shown, field));
      const home = await createUnfaithfulHome({ rewrite: showIn(shown) });
      home.service.foreign({ sender, receiver, item });
      home.clock.advance(60_000);
      const row = { sender, receiver: { ...receiver, ...corrections[field] }, item };
      const stdin = JSON.stringify([row, { sender, receiver: another, item }]);
      const ran = await home.courier("orders import - --yes --json", { stdin });
      const said = `${Object.entries(shown).map(([name, { how }]) => `${name}: ${how}`)}\n${ran.stderr}`;
      expect([ran.exit, outcomes(JSON.parse(ran.stdout))], said).toEqual([3, "held created"]);
    }),
    { numRuns: effort(60, 3_000) },
  );
});
