"""Writes openpyxl.xlsx (openpyxl 3.0.9). LibreOffice 7.4 made the others of it: soffice --headless --convert-to xlsx."""
import openpyxl, datetime
from openpyxl.worksheet.filters import FilterColumn, Filters
wb=openpyxl.Workbook(); ws=wb.active; ws.title="Orders"
ws.append(["ref","sender.name","sender.phone","receiver.name","receiver.phone","receiver.city","receiver.detail","item.name","item.weight","item.quantity"])
def row(ref,name,phone,detail,item,w,q): ws.append([ref,"张三",13800138000,name,phone,"北京市",detail,item,w,q])
row(1001,"李四",13900139000,"建国路88号","茶叶",1.5,1)
row("A-2","王五","13900139001","two\nlines & <b>","茶杯",0.1,2)
row(7,"赵六",13900139002,datetime.datetime(2026,1,31,10,30),"茶壶",0.30000000000000004,3)
row("A-4","孙七",13900139003,"hidden by a filter","茶叶",1,1)
row("A-5","周八",13900139004,"merged","茶叶",2,1)
row("A-6",None,13900139005,"merged","茶杯",2,1)
row("A-7","吴九",13900139006,"formula","=\"茶\"&\"盘\"",1,1)
ws["A4"].number_format="00000"; ws["G4"].number_format="yyyy-mm-dd hh:mm"
ws.merge_cells("D6:D7")
ws.auto_filter.ref="A1:J8"; ws.auto_filter.add_filter_column(0,["1001"]); ws.row_dimensions[5].hidden=True
ws.column_dimensions["F"].hidden=True
o=wb.create_sheet("Notes"); o["A1"]="nothing to ship"
h=wb.create_sheet("old"); h.append(["ref","receiver.name"]); h.append(["X","Y"]); h.sheet_state="hidden"
wb.save("openpyxl.xlsx")
