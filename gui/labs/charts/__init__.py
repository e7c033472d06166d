"""Small charts for any painter, in logical units, with the program's fonts, numbers and colors.

chart = paint_chart(painter, room, x, y, theme, x_label="d_k", y_label="σ", title="…", right=70)
paint_line(painter, chart, xs, ys, stroke(theme, 0))
paint_ends(painter, chart, theme, [End("q · k", xs[-1], ys[-1], stroke(theme, 0)), …])
"""

from gui.labs.charts.axis import ChartAxis as ChartAxis
from gui.labs.charts.axis import Tick as Tick
from gui.labs.charts.axis import ticks as ticks
from gui.labs.charts.frame import Chart as Chart
from gui.labs.charts.frame import chart_in as chart_in
from gui.labs.charts.frame import grid_colour as grid_colour
from gui.labs.charts.frame import paint_chart as paint_chart
from gui.labs.charts.frame import paint_frame as paint_frame
from gui.labs.charts.frame import write as write
from gui.labs.charts.marks import BarChart as BarChart
from gui.labs.charts.marks import ChartStroke as ChartStroke
from gui.labs.charts.marks import End as End
from gui.labs.charts.marks import bar_rect as bar_rect
from gui.labs.charts.marks import ends_width as ends_width
from gui.labs.charts.marks import legend_width as legend_width
from gui.labs.charts.marks import paint_band as paint_band
from gui.labs.charts.marks import paint_bars as paint_bars
from gui.labs.charts.marks import paint_ends as paint_ends
from gui.labs.charts.marks import paint_histogram as paint_histogram
from gui.labs.charts.marks import paint_legend as paint_legend
from gui.labs.charts.marks import paint_line as paint_line
from gui.labs.charts.marks import paint_points as paint_points
from gui.labs.charts.marks import paint_rule as paint_rule
from gui.labs.charts.marks import paint_title_legend as paint_title_legend
from gui.labs.charts.marks import stroke as stroke
from gui.labs.charts.marks import versus as versus
