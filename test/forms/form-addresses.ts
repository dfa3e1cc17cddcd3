/** Addresses that the form splits in another way than an import does; people and numbers are invented. */

import type { DraftParty } from "../../src/model/draft.ts";

export interface FormAddress {
  readonly text: string;
  /** What an import makes of it, always: another result would make the row another order. */
  readonly sheet: DraftParty;
  readonly form: DraftParty;
  readonly leftOut?: readonly string[];
}

export const westernAddresses: readonly FormAddress[] = [
  {
    text: "Cher\n5 Main Street\nSpringfield, IL 62704\n555-010-0123",
    sheet: { phone: "555-010-0123", detail: "Cher 5 Main Street Springfield, IL 62704" },
    form: {
      name: "Cher",
      phone: "555-010-0123",
      province: "IL 62704",
      city: "Springfield",
      detail: "5 Main Street",
    },
  },
  {
    text: "London\n12 High Street\nSW1A 1AA",
    sheet: { detail: "London 12 High Street SW1A 1AA" },
    form: { detail: "London 12 High Street SW1A 1AA" },
  },
  {
    text: "Jane Miller, 12 High Street, London",
    sheet: { detail: "Jane Miller, 12 High Street, London" },
    form: { name: "Jane Miller", city: "London", detail: "12 High Street" },
  },
  {
    text: "Anna Müller\nHauptstr. 5\n10115 Berlin\n+49 30 1234567",
    sheet: { phone: "+49 30 1234567", detail: "Anna Müller Hauptstr. 5 10115 Berlin" },
    form: { name: "Anna Müller", phone: "+49 30 1234567", city: "10115 Berlin", detail: "Hauptstr. 5" },
  },
  {
    text: "John Smith\n350 Fifth Avenue\nNew York, NY 10118\n+1 212 736 3100",
    sheet: { phone: "+1 212 736 3100", detail: "John Smith 350 Fifth Avenue New York, NY 10118" },
    form: {
      name: "John Smith",
      phone: "+1 212 736 3100",
      province: "NY 10118",
      city: "New York",
      detail: "350 Fifth Avenue",
    },
  },
  {
    text: "John Smith, 350 Fifth Avenue, New York, NY 10118, USA, +1 212 736 3100",
    sheet: { phone: "+1 212 736 3100", detail: "John Smith, 350 Fifth Avenue, New York, NY 10118, USA" },
    form: {
      name: "John Smith",
      phone: "+1 212 736 3100",
      province: "NY 10118, USA",
      city: "New York",
      detail: "350 Fifth Avenue",
    },
  },
  {
    text: "350 Fifth Avenue, New York, NY 10118, USA",
    sheet: { detail: "350 Fifth Avenue, New York, NY 10118, USA" },
    form: { province: "NY 10118, USA", city: "New York", detail: "350 Fifth Avenue" },
  },
  {
    text: "Ms. Emma Brown, +44 20 7946 0958, Flat 2, 10 Baker Street, London W1U 3BW",
    sheet: {
      name: "Ms. Emma Brown",
      phone: "+44 20 7946 0958",
      detail: "Flat 2, 10 Baker Street, London W1U 3BW",
    },
    form: {
      name: "Ms. Emma Brown",
      phone: "+44 20 7946 0958",
      city: "London W1U 3BW",
      detail: "Flat 2, 10 Baker Street",
    },
  },
  {
    text: "Emma Brown, Flat 2, 10 Baker Street, London, W1U 3BW, UK",
    sheet: { detail: "Emma Brown, Flat 2, 10 Baker Street, London, W1U 3BW, UK" },
    form: { name: "Emma Brown", city: "London, W1U 3BW, UK", detail: "Flat 2, 10 Baker Street" },
  },
  {
    text: "jane miller\n12 high street\nguildford\nGU1 3AA\n07700 900123",
    sheet: { detail: "jane miller 12 high street guildford GU1 3AA 07700 900123" },
    form: { name: "jane miller", phone: "07700 900123", city: "guildford GU1 3AA", detail: "12 high street" },
  },
  {
    text: "The Old Rectory, Church Lane, Oxford OX1 2AB",
    sheet: { detail: "The Old Rectory, Church Lane, Oxford OX1 2AB" },
    form: { city: "Oxford OX1 2AB", detail: "The Old Rectory, Church Lane" },
  },
  {
    text: "12 High Street, London, Jane Miller",
    sheet: { detail: "12 High Street, London, Jane Miller" },
    form: { detail: "12 High Street, London, Jane Miller" },
  },
  {
    text: "Jean Dupont\n12 rue de la Paix\n75002 Paris\nFrance\n+33 1 42 61 00 00",
    sheet: { phone: "+33 1 42 61 00 00", detail: "Jean Dupont 12 rue de la Paix 75002 Paris France" },
    form: {
      name: "Jean Dupont",
      phone: "+33 1 42 61 00 00",
      city: "75002 Paris France",
      detail: "12 rue de la Paix",
    },
  },
  {
    text: "Иван Петров, ул. Тверская, д. 7, Москва, 125009",
    sheet: { detail: "Иван Петров, ул. Тверская, д. 7, Москва, 125009" },
    form: { name: "Иван Петров", city: "Москва, 125009", detail: "ул. Тверская, д. 7" },
  },
  {
    text: "ул. Тверская, д. 7, Москва, 125009",
    sheet: { detail: "ул. Тверская, д. 7, Москва, 125009" },
    form: { city: "Москва, 125009", detail: "ул. Тверская, д. 7" },
  },
  {
    text: "Ship to:\nJane Miller\n12 High Street\nLondon W1U 3BW\n",
    sheet: { detail: "Ship to: Jane Miller 12 High Street London W1U 3BW" },
    form: { name: "Jane Miller", city: "London W1U 3BW", detail: "12 High Street" },
  },
  {
    text: "Shipping address\nJane Miller\nAcme Inc.\n1234 Broadway\nNew York, NY 10118",
    sheet: { detail: "Shipping address Jane Miller Acme Inc. 1234 Broadway New York, NY 10118" },
    form: { name: "Jane Miller", province: "NY 10118", city: "New York", detail: "Acme Inc. 1234 Broadway" },
  },
  {
    text: "Name: John Smith\nTel: (212) 736-3100\nAddress: 350 Fifth Avenue, New York, NY 10118",
    sheet: { name: "John Smith", phone: "(212) 736-3100", detail: "350 Fifth Avenue, New York, NY 10118" },
    form: {
      name: "John Smith",
      phone: "(212) 736-3100",
      province: "NY 10118",
      city: "New York",
      detail: "350 Fifth Avenue",
    },
  },
  {
    text: "Jane Miller jane@example.com\n12 High Street, London",
    sheet: { detail: "Jane Miller jane@example.com 12 High Street, London" },
    form: { detail: "Jane Miller jane@example.com 12 High Street, London" },
  },
  {
    text: "John Smith\n12 High Street\nLondon\njohn@example.com\nUnited Kingdom",
    sheet: { detail: "John Smith 12 High Street London john@example.com United Kingdom" },
    form: { name: "John Smith", detail: "12 High Street London john@example.com United Kingdom" },
  },
  {
    text: "12 High Street\nLondon\nMr. John Smith\nUnited Kingdom\n+44 20 7946 0958",
    sheet: {
      name: "Mr. John Smith",
      phone: "+44 20 7946 0958",
      detail: "12 High Street London United Kingdom",
    },
    form: {
      name: "Mr. John Smith",
      phone: "+44 20 7946 0958",
      detail: "12 High Street London United Kingdom",
    },
  },
  {
    text: "12 High Street, London, Mr. John Smith, UK",
    sheet: { name: "Mr. John Smith", detail: "12 High Street, London UK" },
    form: { name: "Mr. John Smith", detail: "12 High Street, London UK" },
  },
  {
    text: "12 High Street\nSpringfield\nMr. John Smith\nIL 62701",
    sheet: { name: "Mr. John Smith", detail: "12 High Street Springfield IL 62701" },
    form: { name: "Mr. John Smith", province: "IL 62701", city: "Springfield", detail: "12 High Street" },
  },
  {
    text: "Jane Miller\njane@example.com\n12 High Street\nLondon",
    sheet: { detail: "Jane Miller jane@example.com 12 High Street London" },
    form: { name: "Jane Miller", city: "London", detail: "jane@example.com 12 High Street" },
  },
  {
    text: "Piet de Vries\nKeizersgracht 12\n1015 CJ Amsterdam\nNederland",
    sheet: { detail: "Piet de Vries Keizersgracht 12 1015 CJ Amsterdam Nederland" },
    form: { name: "Piet de Vries", city: "1015 CJ Amsterdam Nederland", detail: "Keizersgracht 12" },
  },
  {
    text: "Maria Rossi, Via Roma 12, 00100 Roma RM, Italy, +39 06 1234567",
    sheet: { phone: "+39 06 1234567", detail: "Maria Rossi, Via Roma 12, 00100 Roma RM, Italy" },
    form: {
      name: "Maria Rossi",
      phone: "+39 06 1234567",
      city: "00100 Roma RM, Italy",
      detail: "Via Roma 12",
    },
  },
  {
    text: "Jane Miller +44 20 7946 0958 12 High Street, London",
    sheet: { phone: "+44 20 7946 0958 12", detail: "Jane Miller High Street, London" },
    form: { name: "Jane Miller", phone: "+44 20 7946 0958", city: "London", detail: "12 High Street" },
  },
  {
    text: "Nathan Lane, 12 High Street, London",
    sheet: { detail: "Nathan Lane, 12 High Street, London" },
    form: { name: "Nathan Lane", city: "London", detail: "12 High Street" },
  },
  {
    text: "nick: tb12345\nJane Miller\n12 High Street\nLondon",
    sheet: { detail: "nick: tb12345 Jane Miller 12 High Street London" },
    form: { name: "Jane Miller", city: "London", detail: "12 High Street" },
    leftOut: ["nick: tb12345"],
  },
  {
    text: "New York, NY 10118, USA",
    sheet: { detail: "New York, NY 10118, USA" },
    form: { detail: "New York, NY 10118, USA" },
  },
  {
    text: "Jane Miller\n1234 Broadway\nNew York, NY 10118",
    sheet: { detail: "Jane Miller 1234 Broadway New York, NY 10118" },
    form: { name: "Jane Miller", province: "NY 10118", city: "New York", detail: "1234 Broadway" },
  },
  { text: "Jane Miller", sheet: { detail: "Jane Miller" }, form: { detail: "Jane Miller" } },
  {
    text: "Acme Ltd., 5 Rosenweg, 8001 Zürich, Switzerland",
    sheet: { detail: "Acme Ltd., 5 Rosenweg, 8001 Zürich, Switzerland" },
    form: { name: "Acme Ltd.", city: "8001 Zürich, Switzerland", detail: "5 Rosenweg" },
  },
  {
    text: "John O'Neil\n12 Main St\nDublin 2\nIreland",
    sheet: { detail: "John O'Neil 12 Main St Dublin 2 Ireland" },
    form: { name: "John O'Neil", city: "Dublin 2 Ireland", detail: "12 Main St" },
  },
  {
    text: "Wang Xiaoming, Room 502, Building 3, 88 Jianguo Road, Chaoyang District, Beijing 100022, China",
    sheet: {
      detail:
        "Wang Xiaoming, Room 502, Building 3, 88 Jianguo Road, Chaoyang District, Beijing 100022, China",
    },
    form: {
      name: "Wang Xiaoming",
      city: "Beijing 100022, China",
      detail: "Room 502, Building 3, 88 Jianguo Road, Chaoyang District",
    },
  },
  {
    text: "+49 176 12345678 Anna Müller, Hauptstr. 5, 10115 Berlin",
    sheet: { phone: "+49 176 12345678", detail: "Anna Müller, Hauptstr. 5, 10115 Berlin" },
    form: { name: "Anna Müller", phone: "+49 176 12345678", city: "10115 Berlin", detail: "Hauptstr. 5" },
  },
  {
    text: "Jane Miller, London, 12 High Street",
    sheet: { detail: "Jane Miller, London, 12 High Street" },
    form: { name: "Jane Miller", detail: "London, 12 High Street" },
  },
  {
    text: "Dear team please ship, 12 High Street, London",
    sheet: { detail: "Dear team please ship, 12 High Street, London" },
    form: { detail: "Dear team please ship, 12 High Street, London" },
  },
];

export const platformAddresses: readonly FormAddress[] = [
  {
    text: "北京市海淀区中关村南大街27号中央民族大学 100081 孟和 010-68932222",
    sheet: {
      name: "孟和",
      phone: "010-68932222",
      province: "北京市",
      district: "海淀区",
      detail: "中关村南大街27号中央民族大学 100081",
    },
    form: {
      name: "孟和",
      phone: "010-68932222",
      province: "北京市",
      district: "海淀区",
      detail: "中关村南大街27号中央民族大学",
    },
    leftOut: ["100081"],
  },
  {
    text: "收件人：李雷 13900139000 上海市浦东新区世纪大道100号 邮编：200120 备注：放前台",
    sheet: {
      name: "李雷",
      phone: "13900139000",
      province: "上海市",
      district: "浦东新区",
      detail: "世纪大道100号 邮编：200120 备注：放前台",
    },
    form: {
      name: "李雷",
      phone: "13900139000",
      province: "上海市",
      district: "浦东新区",
      detail: "世纪大道100号 备注：放前台",
    },
    leftOut: ["邮编：200120"],
  },
  {
    text: "邮编518000 深圳市福田区深南大道6001号 何先生收 13922223333",
    sheet: {
      name: "何先生",
      phone: "13922223333",
      city: "深圳市",
      district: "福田区",
      detail: "邮编518000 深南大道6001号",
    },
    form: {
      name: "何先生",
      phone: "13922223333",
      city: "深圳市",
      district: "福田区",
      detail: "深南大道6001号",
    },
    leftOut: ["邮编518000"],
  },
  {
    text: "李四，13900139000，北京市朝阳区建国路88号 100020，订单编号 123456",
    sheet: {
      name: "李四",
      phone: "13900139000",
      province: "北京市",
      district: "朝阳区",
      detail: "建国路88号 100020，订单编号 123456",
    },
    form: {
      name: "李四",
      phone: "13900139000",
      province: "北京市",
      district: "朝阳区",
      detail: "建国路88号 订单编号 123456",
    },
    leftOut: ["100020"],
  },
  {
    text: "张三，13800138000，北京市朝阳区建国路88号(100020)",
    sheet: {
      name: "张三",
      phone: "13800138000",
      province: "北京市",
      district: "朝阳区",
      detail: "建国路88号(100020)",
    },
    form: {
      name: "张三",
      phone: "13800138000",
      province: "北京市",
      district: "朝阳区",
      detail: "建国路88号",
    },
    leftOut: ["(100020)"],
  },
  {
    text: "张三【3位尾号 1234】 13800138000 广东省深圳市南山区科技园1号楼",
    sheet: {
      name: "张三",
      phone: "13800138000",
      province: "广东省",
      city: "深圳市",
      district: "南山区",
      detail: "【3位尾号 1234】 科技园1号楼",
    },
    form: {
      name: "张三【3位尾号 1234】",
      phone: "13800138000",
      province: "广东省",
      city: "深圳市",
      district: "南山区",
      detail: "科技园1号楼",
    },
  },
  {
    text: "张三 13800138000【3位尾号 1234】 广东省深圳市南山区科技园1号楼",
    sheet: {
      name: "张三",
      phone: "13800138000",
      province: "广东省",
      city: "深圳市",
      district: "南山区",
      detail: "【3位尾号 1234】 科技园1号楼",
    },
    form: {
      name: "张三",
      phone: "13800138000【3位尾号 1234】",
      province: "广东省",
      city: "深圳市",
      district: "南山区",
      detail: "科技园1号楼",
    },
  },
  {
    text: "张三 13800138000，转1234，广东省深圳市南山区科技园1号楼",
    sheet: {
      name: "张三",
      phone: "13800138000",
      province: "广东省",
      city: "深圳市",
      district: "南山区",
      detail: "转1234 科技园1号楼",
    },
    form: {
      name: "张三",
      phone: "13800138000，转1234",
      province: "广东省",
      city: "深圳市",
      district: "南山区",
      detail: "科技园1号楼",
    },
  },
  {
    text: "张三 13800138000[1234] 广东省深圳市南山区科技园1号楼[1234]",
    sheet: {
      name: "张三",
      phone: "13800138000",
      province: "广东省",
      city: "深圳市",
      district: "南山区",
      detail: "[1234] 科技园1号楼[1234]",
    },
    form: {
      name: "张三",
      phone: "13800138000[1234]",
      province: "广东省",
      city: "深圳市",
      district: "南山区",
      detail: "科技园1号楼[1234]",
    },
  },
  {
    text: "旺旺：小猪123 张三 13800138000 广东省深圳市南山区科技园1号楼",
    sheet: {
      name: "张三",
      phone: "13800138000",
      province: "广东省",
      city: "深圳市",
      district: "南山区",
      detail: "旺旺：小猪123 科技园1号楼",
    },
    form: {
      name: "张三",
      phone: "13800138000",
      province: "广东省",
      city: "深圳市",
      district: "南山区",
      detail: "科技园1号楼",
    },
    leftOut: ["旺旺：小猪123"],
  },
  {
    text: "【昵称】小猪 张三 13800138000 广东省深圳市南山区科技园1号楼",
    sheet: {
      name: "张三",
      phone: "13800138000",
      province: "广东省",
      city: "深圳市",
      district: "南山区",
      detail: "【昵称】小猪 科技园1号楼",
    },
    form: {
      name: "张三",
      phone: "13800138000",
      province: "广东省",
      city: "深圳市",
      district: "南山区",
      detail: "科技园1号楼",
    },
    leftOut: ["【昵称】小猪"],
  },
  {
    text: "张三 13800138000 广东省深圳市南山区科技园1号楼 [昵称:小 猪]",
    sheet: {
      name: "张三",
      phone: "13800138000",
      province: "广东省",
      city: "深圳市",
      district: "南山区",
      detail: "科技园1号楼 [昵称:小 猪]",
    },
    form: {
      name: "张三",
      phone: "13800138000",
      province: "广东省",
      city: "深圳市",
      district: "南山区",
      detail: "科技园1号楼",
    },
    leftOut: ["[昵称:小 猪]"],
  },
  {
    text: "会员名 tb_12345，张三，13800138000，广东省深圳市南山区科技园1号楼",
    sheet: {
      name: "张三",
      phone: "13800138000",
      province: "广东省",
      city: "深圳市",
      district: "南山区",
      detail: "会员名 tb_12345 科技园1号楼",
    },
    form: {
      name: "张三",
      phone: "13800138000",
      province: "广东省",
      city: "深圳市",
      district: "南山区",
      detail: "科技园1号楼",
    },
    leftOut: ["会员名 tb_12345"],
  },
  {
    text: "nick: tb12345\n张三 13800138000 广东省深圳市南山区科技园1号楼",
    sheet: {
      name: "张三",
      phone: "13800138000",
      province: "广东省",
      city: "深圳市",
      district: "南山区",
      detail: "nick: tb12345 科技园1号楼",
    },
    form: {
      name: "张三",
      phone: "13800138000",
      province: "广东省",
      city: "深圳市",
      district: "南山区",
      detail: "科技园1号楼",
    },
    leftOut: ["nick: tb12345"],
  },
  {
    text: "张三 13800138000 广东省深圳市南山区科技园1号楼 取件码 123456",
    sheet: {
      name: "张三",
      phone: "13800138000",
      province: "广东省",
      city: "深圳市",
      district: "南山区",
      detail: "科技园1号楼 取件码 123456",
    },
    form: {
      name: "张三",
      phone: "13800138000",
      province: "广东省",
      city: "深圳市",
      district: "南山区",
      detail: "科技园1号楼 取件码 123456",
    },
  },
  {
    text: "张三 13800138000 100020 广东省深圳市南山区科技园1号楼 200030",
    sheet: {
      name: "张三",
      phone: "13800138000",
      province: "广东省",
      city: "深圳市",
      district: "南山区",
      detail: "100020 科技园1号楼 200030",
    },
    form: {
      name: "张三",
      phone: "13800138000",
      province: "广东省",
      city: "深圳市",
      district: "南山区",
      detail: "100020 科技园1号楼 200030",
    },
  },
  {
    text: "张三 13800138000 广东省深圳市南山区科技园1号楼 旺旺 小猪",
    sheet: {
      name: "张三",
      phone: "13800138000",
      province: "广东省",
      city: "深圳市",
      district: "南山区",
      detail: "科技园1号楼 旺旺 小猪",
    },
    form: {
      name: "张三",
      phone: "13800138000",
      province: "广东省",
      city: "深圳市",
      district: "南山区",
      detail: "科技园1号楼",
    },
    leftOut: ["旺旺 小猪"],
  },
  {
    text: "13800138000转1234 张三 广东省深圳市南山区科技园1号楼",
    sheet: {
      name: "张三",
      phone: "13800138000转1234",
      province: "广东省",
      city: "深圳市",
      district: "南山区",
      detail: "科技园1号楼",
    },
    form: {
      name: "张三",
      phone: "13800138000转1234",
      province: "广东省",
      city: "深圳市",
      district: "南山区",
      detail: "科技园1号楼",
    },
  },
  {
    text: "张三 13800138000 1号楼 昵称：广东省深圳市南山区科技园1号楼",
    sheet: {
      name: "张三",
      phone: "13800138000",
      province: "广东省",
      city: "深圳市",
      district: "南山区",
      detail: "1号楼 昵称 科技园1号楼",
    },
    form: {
      name: "张三",
      phone: "13800138000",
      province: "广东省",
      city: "深圳市",
      district: "南山区",
      detail: "1号楼 昵称 科技园1号楼",
    },
  },
];
