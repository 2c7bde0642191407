import sys,time
import numpy as np
from gascl import Engine, Graph, VertexProgram, param, vertex
from gascl.generators import rmat
import gascl.programs as P
from gascl.programs.triangles import Count
class Total(VertexProgram):
    supersteps=param.supersteps(1)
    n=vertex.int64()
    message, combine = "int64","sum"
    scatter_on=apply_on="all"
    scatter="send(common(e.src, e.dst));"
    apply="v.n = msg;"
class NoW(Total):
    scatter="""
      int n = 0;
      for_common(w, e.src, e.dst) ++n;
      send(n);
    """
scale=int(sys.argv[1])
g=rmat(scale,directed=False,duplicates='first',self_loops='drop')
t=time.time(); o,number=g.oriented(); print("orient",time.time()-t,o.num_edges,o.out_degree.max(),flush=True)
E=Engine(o); print(E.device)
for p in (Total,NoW,Count):
  for d in ("auto","slots","edges","pull"):
    try:
      for i in range(3):
        t=time.perf_counter(); r=E.run(p(),delivery=d,max_supersteps=None); n=(r.n if p is not Count else r.closed).sum(); w=time.perf_counter()-t
      print(p.__name__,d,r.delivery,"wall",round(w*1e3,1),"ms step",[round(s.seconds*1e3,2) for s in r.trace],[ (k) for s in r.trace for k in (s.kernels or ())][:6], n,flush=True)
    except Exception as e: print(p.__name__,d,str(e)[:150])
E2=Engine(g)
for p in (P.Triangles,P.LocalClustering):
  for i in range(3):
    t=time.perf_counter(); r=E2.run(p()); r[list(r.fields)[0]] ; print(p.__name__,"run",i,round(time.perf_counter()-t,3),[round(s.seconds*1e3,2) for s in r.trace],r.delivery,flush=True)
